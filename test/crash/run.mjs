/**
 * Kills the collector with SIGKILL again and again while batches come in: `npm run test:crash -- --kills 100 --seed 7`. What was
 * acknowledged must be there, once, and the database must be sound.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Random } from '../fuzz/random.mjs';
import { Collector } from './collector.mjs';

const { checkDatabase } = createRequire(import.meta.url)('@dacapo/collector');

const SENDERS = 4;
const SPANS_IN_A_BATCH = 20;
/** A process lives for so long after it is ready, at random. */
const LIFE_MS = 1500;

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now() % 1e9) },
  },
});
const random = new Random(values.seed);
const dataDir = mkdtempSync(join(tmpdir(), 'dacapo-crash-'));
console.log(`Seed ${values.seed}, ${values.kills} kills.`);

/** All batches, the refused and cut off ones too: those go out again under the same id. */
const batches = [];
let apiKey;
let waiting = [];

function newBatch() {
  const spans = Array.from({ length: SPANS_IN_A_BATCH }, () => ({
    id: randomBytes(8).toString('hex'),
    trace_id: randomUUID(),
    trace_function_key: 'crash',
    name: 'crash',
    type: 'llm',
    status: 'ok',
    started_at: '2026-01-31T12:00:00.000000Z',
    ended_at: '2026-01-31T12:00:01.000000Z',
    duration_ms: 1000,
    span_data: { input: ['x'.repeat(random.below(8000))], output: 'y' },
  }));
  const batch = { id: randomUUID(), spans, acknowledged: 0 };
  batches.push(batch);
  return batch;
}

async function send(url, batch) {
  const answer = await fetch(`${url}/api/v1/ingest`, {
    method: 'POST',
    headers: { 'api-key': apiKey, 'content-type': 'application/x-ndjson', 'dacapo-batch-id': batch.id },
    body: batch.spans.map((span) => JSON.stringify({ span })).join('\n'),
  });
  const body = await answer.json();
  if (answer.status !== 200 || body.accepted !== SPANS_IN_A_BATCH) {
    throw new Error(`${answer.status} ${JSON.stringify(body)}`);
  }
  batch.acknowledged++;
}

/** Sends until the collector is gone. */
async function sendUntilGone(url) {
  for (;;) {
    // Now and then one that was acknowledged goes out again, as after an answer that was lost.
    const again = random.chance(0.1) ? random.pick(batches) : undefined;
    const batch = waiting.pop() ?? again ?? newBatch();
    try {
      await send(url, batch);
    } catch (error) {
      if (batch.acknowledged === 0) waiting.push(batch);
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

for (let kill = 1; kill <= Number(values.kills); kill++) {
  const collector = await Collector.start(dataDir);
  apiKey ??= collector.apiKey;
  if (batches.length === 0) await send(collector.url, newBatch());
  const senders = Array.from({ length: SENDERS }, () => sendUntilGone(collector.url));
  await sleep(random.below(LIFE_MS));
  await collector.kill();
  await Promise.all(senders);
  if (kill % 10 === 0) console.log(`${kill} kills, ${batches.length} batches, ${waiting.length} cut off`);
}

const problems = [];
const acknowledged = batches.filter((batch) => batch.acknowledged > 0);
const last = await Collector.start(dataDir);
for (const { spans } of acknowledged) {
  for (const { id, trace_id } of spans) {
    const { status } = await fetch(`${last.url}/api/v1/traces/${trace_id}/spans/${id}`, {
      headers: { 'api-key': apiKey },
    });
    if (status !== 200) problems.push(`span ${id} was acknowledged and is not there: ${status}`);
  }
}
for (const batch of waiting) await send(last.url, batch);
const keys = await fetch(`${last.url}/api/v1/trace-function-keys`, { headers: { 'api-key': apiKey } });
const [{ span_count: stored }] = (await keys.json()).items;
const sent = batches.length * SPANS_IN_A_BATCH;
if (stored !== sent) problems.push(`${sent} spans were sent, and ${stored} are stored`);
await last.kill('SIGTERM');
problems.push(...(await checkDatabase(dataDir)).findings);
rmSync(dataDir, { recursive: true, force: true });

console.log(
  `${acknowledged.length * SPANS_IN_A_BATCH} spans were acknowledged before the last kill, ${waiting.length} batches were cut off and sent again; ${stored} are stored.`,
);
for (const problem of problems.slice(0, 20)) console.log(`✗ ${problem}`);
console.log(
  problems.length === 0 ? '✓ All that was acknowledged is there, once; the database is sound.' : '',
);
process.exitCode = problems.length === 0 ? 0 : 1;
