/**
 * Erases an account's texts while another process reads the database for a minute:
 *
 *   node test/erasure/run.mjs [--seconds 60]
 *
 * The deletion must wait for the reader and report it. Other accounts must be able to write meanwhile. When the deletion is `done`, no byte
 * of the deleted data may be in any file.
 */
import Database from 'libsql';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Collector } from '../crash/collector.mjs';
import { makeSpans } from '../crash/spans.mjs';

const MARKER = 'Zq7marker';
const SPANS = 2000;

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' } } });
const dataDir = mkdtempSync(join(tmpdir(), 'dacapo-erasure-'));
const problems = [];
const filesWith = (text) =>
  readdirSync(dataDir).filter((name) => readFileSync(join(dataDir, name)).includes(text));

const collector = await Collector.start(dataDir);
const client = collector.client(collector.apiKey);
for (let n = 0; n < SPANS; n += 100) {
  await client.ingest(makeSpans(90, { key: 'erased', text: `${MARKER}-${n} ${'x'.repeat(n / 10)}` }));
  await client.ingest(makeSpans(10, { key: 'kept', text: 'y'.repeat(n / 10) }));
}

const reader = new Database(join(dataDir, 'dacapo.db'), { readonly: true });
reader.exec('BEGIN');
reader.prepare('SELECT count(*) FROM spans').all([]);
const { body: begun } = await client.ask('POST', '/api/v1/deletions', { trace_function_key: 'erased' });
const read = async () => (await client.ask('GET', `/api/v1/deletions/${begun.id}`)).body;

const states = new Set();
const latencies = [];
for (const until = Date.now() + Number(values.seconds) * 1000; Date.now() < until; await sleep(100)) {
  const sentAt = performance.now();
  await client.ingest(makeSpans(10, { key: 'kept', text: 'z' }));
  latencies.push(performance.now() - sentAt);
  const { state, waiting_for: waitingFor } = await read();
  states.add(`${state}${waitingFor === undefined ? '' : `, waiting for ${waitingFor}`}`);
}
console.log(`While the reader held the log for ${values.seconds} s, the deletion was:`);
for (const state of states) console.log(`  ${state}`);
if ([...states].some((state) => state.startsWith('done'))) problems.push('the deletion was done too early');
if (![...states].some((state) => state.includes('waiting for')))
  problems.push('the deletion did not say why it waits');
latencies.sort((a, b) => a - b);
const at = (share) => latencies[Math.floor((latencies.length - 1) * share)].toFixed(1);
console.log(
  `${latencies.length} batches were stored meanwhile: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms`,
);
console.log(`Files with the erased text meanwhile: ${filesWith(MARKER).join(', ')}`);

reader.exec('ROLLBACK');
reader.close();
const endedAt = performance.now();
while ((await read()).state !== 'done') await sleep(50);
console.log(
  `The deletion was done ${((performance.now() - endedAt) / 1000).toFixed(1)} s after the reader ended`,
);
const { counts, waiting_for: waitingFor } = await read();
if (counts.spans !== SPANS * 0.9)
  problems.push(`${counts.spans} deleted spans are counted, not ${SPANS * 0.9}`);
if (waitingFor !== undefined) problems.push(`it still waits for ${waitingFor}`);
for (const text of [MARKER, MARKER.toLowerCase()]) {
  for (const name of filesWith(text)) problems.push(`${name} holds "${text}"`);
}
await collector.kill('SIGTERM');
rmSync(dataDir, { recursive: true, force: true });
for (const problem of problems) console.log(`✗ ${problem}`);
if (problems.length > 0) process.exit(1);
console.log('✓ No byte of the erased text is in any file');
