import { readPages } from '@dacapo/client';
import type { ListConditions, TraceSummary } from '@dacapo/protocol';
import type { ServiceClient } from '../service/service-client.js';

const EVERY_MS = 1_000;
/** A trace that started earlier is not printed when it ends. */
const LONGEST_MS = 60 * 60_000;

/**
 * Calls `show` once for each trace that ends from now on, oldest first. Resolves when `stopped` does.
 *
 * @throws the errors of {@link ServiceClient}
 */
export async function tailTraces(
  client: ServiceClient,
  conditions: ListConditions,
  stopped: Promise<unknown>,
  show: (trace: TraceSummary) => void,
): Promise<void> {
  const since = conditions.since ?? new Date(Date.now() - LONGEST_MS).toISOString();
  const shown = new Set<string>();
  const isStopped = stopped.then(() => true);
  for (let isFirst = true; ; isFirst = false) {
    const fresh: TraceSummary[] = [];
    for await (const page of readPages((one) => client.api.traces.list({ ...conditions, since, ...one }))) {
      const unknown = page.filter(({ id, status }) => status !== 'unfinished' && !shown.has(id));
      for (const trace of unknown) shown.add(trace.id);
      fresh.push(...unknown);
      // New traces are on the first pages. Those that ended late are among the running ones.
      if (unknown.length === 0 && page.every(({ status }) => status !== 'unfinished')) break;
    }
    if (!isFirst) for (const trace of fresh.reverse()) show(trace);
    if (await Promise.race([isStopped, wait(EVERY_MS)])) return;
  }
}

function wait(ms: number): Promise<false> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms, false);
  });
}
