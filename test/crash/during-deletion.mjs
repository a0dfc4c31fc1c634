/** Kills the service while calls are deleted or expire. Deleted data must not remain, and must be counted once. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Collector } from './collector.mjs';
import { makeSpans } from './spans.mjs';

const MARKER = 'Zq7marker';
const DELETED = 150;
const SCORED = 60;
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
    toKey: () => 'gone',
  });
}

/** Deletions of some traces, and of the session of all traces, which ends with the last of them. */
async function addScores(client, spans) {
  const targets = [...spans.slice(0, SCORED), {}].map(({ trace_id }) =>
    trace_id === undefined ? { session_id: spans[0].session_id } : { trace_id },
  );
  const scores = targets.map((target) => ({
    ...target,
    name: 'helpful',
    value: 1,
    author: { kind: 'person', name: 'ann' },
    explanation: spans[0].session_id,
  }));
  const { status, body } = await client.ask('POST', '/api/v1/scores', { scores });
  if (status !== 200 || body.accepted !== scores.length) throw new Error(`${status} ${JSON.stringify(body)}`);
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
  { startedAt, begin, toKey = (kill) => `gone${kill}` },
) {
  const ids = [];
  let apiKey;
  let kept = 0;
  for (let kill = 1; kill <= kills; kill++) {
    const collector = await Collector.start(dataDir);
    apiKey ??= collector.apiKey;
    const client = collector.client(apiKey);
    const key = toKey(kill);
    const deleted = makeSpans(DELETED, { key, text: `${MARKER}-${kill}`, ...(startedAt && { startedAt }) });
    await client.ingest(deleted);
    await addScores(client, deleted);
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
    const { traces, spans, scores } = counts;
    if (spans !== DELETED || traces !== DELETED || scores !== SCORED + 1) {
      problems.push(
        `deletion ${id} counted ${traces} traces, ${spans} spans and ${scores} scores, not ${DELETED} and ${SCORED + 1}`,
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
  const { body: scores } = await client.ask('GET', '/api/v1/scores?history=true');
  if (scores.items.length > 0) problems.push(`${scores.items.length} scores are there`);
  for (const name of readdirSync(dataDir)) {
    if (readFileSync(join(dataDir, name)).includes(MARKER)) problems.push(`${name} holds what was deleted`);
  }
  await last.kill('SIGTERM');
  return problems;
}
