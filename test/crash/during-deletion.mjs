/** Kills the service while calls are deleted or expire. Deleted data must not remain, and must be counted once. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Collector } from './collector.mjs';
import { makeSpans } from './spans.mjs';

const MARKER = 'Zq7marker';
const DELETED = 150;
const KEPT = 10;
const LIFE_MS = 500;
const OLD = '2020-01-01T00:00:00.000000Z';

export function duringDeletion(options) {
  return run(options, {
    startedAt: undefined,
    begin: (client, key) => client.ask('POST', '/api/v1/deletions', { trace_function_key: key }),
  });
}

/** The service applies a retention rule at each start. */
export function duringRetention(options) {
  return run(options, {
    startedAt: OLD,
    begin: (client, key) =>
      client.ask('POST', '/api/v1/retention', { trace_function_key: key.replace(/\d+$/, ''), days: 1000 }),
    keyOf: () => 'gone',
  });
}

async function untilDone(client) {
  // The service applies the rule shortly after the start.
  await sleep(1000);
  for (let open = 1; open > 0;) {
    const { body } = await client.ask('GET', '/api/v1/deletions?limit=200');
    open = body.items.filter(({ state }) => state !== 'done').length;
    if (open > 0) await sleep(100);
  }
}

async function run(
  { dataDir, random, kills, report },
  { startedAt, begin, keyOf = (kill) => `gone${kill}` },
) {
  const ids = [];
  let apiKey;
  let kept = 0;
  for (let kill = 1; kill <= kills; kill++) {
    const collector = await Collector.start(dataDir);
    apiKey ??= collector.apiKey;
    const client = collector.client(apiKey);
    const key = keyOf(kill);
    await client.ingest(
      makeSpans(DELETED, { key, text: `${MARKER}-${kill}`, ...(startedAt && { startedAt }) }),
    );
    await client.ingest(makeSpans(KEPT, { key: 'kept', text: 'kept' }));
    kept += KEPT;
    const { status, body } = await begin(client, key);
    if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
    if (body.id !== undefined) ids.push(body.id);
    await sleep(random.below(LIFE_MS));
    await collector.kill();
    report(kill, `${kill * DELETED} spans to delete`);
  }
  // The next start applies an interrupted rule again, including to new records.
  const finishing = await Collector.start(dataDir);
  await untilDone(finishing.client(apiKey));
  await finishing.kill();
  const last = await Collector.start(dataDir);
  const client = last.client(apiKey);
  await untilDone(client);
  const problems = [];
  const { body } = await client.ask('GET', '/api/v1/deletions?limit=200');
  for (const id of ids.slice(-200)) {
    const { counts } = body.items.find((one) => one.id === id);
    if (counts.spans !== DELETED || counts.traces !== DELETED) {
      problems.push(
        `deletion ${id} counted ${counts.traces} traces and ${counts.spans} spans, not ${DELETED}`,
      );
    }
  }
  if (ids.length === 0 && kills <= 200) {
    const sum = body.items.reduce((spans, { counts }) => spans + counts.spans, 0);
    if (sum !== kills * DELETED) problems.push(`${sum} deleted spans are counted, not ${kills * DELETED}`);
  }
  const stored = await client.countSpans('kept');
  if (stored !== kept) problems.push(`${kept} spans are to be kept, and ${stored} are there`);
  const { body: keys } = await client.ask('GET', '/api/v1/trace-function-keys');
  for (const { trace_function_key: key } of keys.items) if (key !== 'kept') problems.push(`${key} is there`);
  for (const name of readdirSync(dataDir)) {
    if (readFileSync(join(dataDir, name)).includes(MARKER)) problems.push(`${name} holds what was deleted`);
  }
  await last.kill('SIGTERM');
  return problems;
}
