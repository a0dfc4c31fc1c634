/**
 * Deletes on a full disk, with the space that the service reserves for deletions:
 *
 *   node test/erasure/full-disk.mjs
 *
 * The disk is a tmpfs of 48 MiB in a mount namespace of its own, for which Linux must allow user namespaces.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeSpans } from '../crash/spans.mjs';

const MARKER = 'Zq7marker';
const MIB = 1024 * 1024;

if (process.argv[2] === undefined) {
  const disk = mkdtempSync(join(tmpdir(), 'dacapo-full-disk-'));
  const mount = `mount -t tmpfs -o size=48m tmpfs ${disk} && exec "$@"`;
  const command = [process.execPath, import.meta.filename, disk];
  const { status } = spawnSync(
    'unshare',
    ['--map-root-user', '--mount', 'sh', '-c', mount, 'sh', ...command],
    {
      stdio: 'inherit',
    },
  );
  rmSync(disk, { recursive: true, force: true });
  process.exit(status ?? 1);
}

const [, , dataDir] = process.argv;
const { startCollector } = createRequire(import.meta.url)('@dacapo/collector');
const problems = [];
const warnings = [];
const logger = {
  info: () => undefined,
  warn: (text) => warnings.push(text),
  error: (text) => warnings.push(text),
};
const collector = await startCollector({ port: 0, dataDir, reserveBytes: 12 * MIB, logger });
const ask = async (method, path, body, type = 'application/json') => {
  const answer = await fetch(collector.url + path, {
    method,
    headers: { 'api-key': collector.apiKey, ...(body !== undefined && { 'content-type': type }) },
    body,
  });
  return { status: answer.status, body: await answer.json() };
};
const ingest = (spans) =>
  ask(
    'POST',
    '/api/v1/ingest',
    spans.map((span) => JSON.stringify({ span })).join('\n'),
    'application/x-ndjson',
  );

const reserve = join(dataDir, 'dacapo.reserve');
while (!existsSync(reserve)) await sleep(200);
await ingest(makeSpans(500, { key: 'erased', text: MARKER }));
try {
  for (;;) appendFileSync(join(dataDir, 'filler'), Buffer.alloc(MIB / 4));
} catch (error) {
  console.log(`The disk is full: ${error.code}`);
}
let refused;
do refused = await ingest(makeSpans(20, { key: 'kept', text: 'kept' }));
while (refused.status === 200);
console.log(`An ingest is answered ${refused.status}: ${refused.body.detail}`);
if (refused.status !== 507 && refused.status !== 503)
  problems.push(`a full disk is answered ${refused.status}`);

const { body: begun, status } = await ask(
  'POST',
  '/api/v1/deletions',
  JSON.stringify({ trace_function_key: 'erased' }),
);
if (status !== 201) problems.push(`the deletion is answered ${status} ${JSON.stringify(begun)}`);
let deletion = begun;
for (let tries = 0; tries < 600 && deletion.state !== 'done'; tries++) {
  await sleep(100);
  deletion = (await ask('GET', `/api/v1/deletions/${begun.id}`)).body;
}
console.log(`The deletion is ${deletion.state}: ${deletion.counts?.spans} spans`);
if (deletion.state !== 'done' || deletion.counts.spans !== 500) problems.push(JSON.stringify(deletion));
for (const name of readdirSync(dataDir)) {
  if (readFileSync(join(dataDir, name)).includes(MARKER)) problems.push(`${name} holds what was deleted`);
}
rmSync(join(dataDir, 'filler'));
const again = await ingest(makeSpans(20, { key: 'kept', text: 'kept' }));
console.log(`With room on the disk an ingest is answered ${again.status}`);
if (again.status !== 200)
  problems.push(`with room an ingest is answered ${again.status} ${JSON.stringify(again.body)}`);
await collector.close();
console.log(warnings.map((text) => `log: ${text}`).join('\n'));
for (const problem of problems) console.log(`✗ ${problem}`);
if (problems.length > 0) process.exit(1);
console.log('✓ A deletion runs on a full disk');
