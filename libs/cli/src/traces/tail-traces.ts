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
  const shown = new Set<string>();
  const isStopped = stopped.then(() => true);
  let oldestRunningMs = Infinity;
  for (let isFirst = true; ; isFirst = false) {
    const since = conditions.since ?? new Date(Date.now() - LONGEST_MS).toISOString();
    const fresh: TraceSummary[] = [];
    let stillRunningMs = Infinity;
    for await (const page of readPages((one) => client.api.traces.list({ ...conditions, since, ...one }))) {
      const running = page.filter(({ status }) => status === 'unfinished');
      const unknown = page.filter(({ id, status }) => status !== 'unfinished' && !shown.has(id));
      for (const trace of unknown) shown.add(trace.id);
      fresh.push(...unknown);
      stillRunningMs = Math.min(stillRunningMs, startedAtMs(running.at(-1)));
      // New traces are on the first pages, and those that ended late are no older than the oldest running one.
      const isPast = page.length === 0 || startedAtMs(page.at(-1)) < oldestRunningMs;
      if (isPast && unknown.length === 0 && running.length === 0) break;
    }
    oldestRunningMs = stillRunningMs;
    if (!isFirst) for (const trace of fresh.reverse()) show(trace);
    if (await Promise.race([isStopped, wait(EVERY_MS)])) return;
  }
}

/** Infinity without a trace. */
function startedAtMs(trace: TraceSummary | undefined): number {
  return trace === undefined ? Infinity : Date.parse(trace.started_at);
}

function wait(ms: number): Promise<false> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms, false);
  });
}
