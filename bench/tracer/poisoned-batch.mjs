/**
 * Delivers for minutes through a gateway that always rejects one record, while processes are killed and restarted.
 *
 *   node bench/tracer/poisoned-batch.mjs [--minutes 10] [--status 403]
 *
 * Each process records 100 spans per second; the first one records the poisoned span. Odd processes are killed, even ones shut
 * down. In the end every other span must be stored once, and the poisoned one must be in quarantine. Bundles the sources, so no
 * build is needed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    status: { type: 'string', default: '403' },
  },
});
const SPANS_A_SECOND = 100;
const PROCESSES = 11;
const POISON = 'a text that the gateway refuses';

const folder = mkdtempSync(join(tmpdir(), 'dacapo-poisoned-'));
const ledger = join(folder, 'ledger');
const errors = join(folder, 'errors');
writeFileSync(ledger, '');
writeFileSync(errors, '');

const stored = new Map();
const batches = new Set();
let refusals = 0;
const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString();
    if (body.includes(POISON)) {
      refusals++;
      response.writeHead(Number(flags.status)).end('<h1>Request blocked</h1>');
      return;
    }
    const lines = body.split('\n').slice(0, -1);
    const id = request.headers['dacapo-batch-id'];
    if (!batches.has(id)) {
      batches.add(id);
      for (const line of lines) {
        const [, span] = /^\{"span":\{"id":"([0-9a-f]{16})"/.exec(line) ?? [];
        if (span !== undefined) stored.set(span, (stored.get(span) ?? 0) + 1);
      }
    }
    response.end(JSON.stringify({ accepted: lines.length, rejected: [] }));
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

const entry = join(folder, 'application.mts');
const bundle = join(folder, 'application.cjs');
writeFileSync(
  entry,
  `
import { appendFileSync } from 'node:fs';
import { Tracer } from '@dacapo/tracer';
const { URL: serviceUrl, LEDGER, ERRORS, SPOOL, POISON } = process.env;
const tracer = new Tracer({
  apiKey: 'key-of-a-poisoned-application',
  serviceUrl,
  delivery: { spoolDir: SPOOL, spool: 'always' },
  logger: { warn: () => undefined },
  onError: ({ code, reason, count, message }) => appendFileSync(ERRORS, JSON.stringify({ code, reason, count, message }) + '\\n'),
});
const answer = tracer.withSpan('answer', (text) => {
  const { spanId } = tracer.getCurrentSpan();
  return { spanId, text };
});
const call = (text) => {
  const { spanId } = answer(text);
  appendFileSync(LEDGER, (text === POISON ? 'poisoned ' : '') + spanId + '\\n');
};
let number = 0;
const recording = setInterval(() => {
  call('question ' + number++);
  if (number === 50 && POISON) call(POISON);
}, ${1000 / SPANS_A_SECOND});
process.on('SIGTERM', async () => {
  clearInterval(recording);
  await tracer.shutdown();
  process.exit();
});
`,
);
const names = ['tracer', 'protocol', 'client', 'evaluation'];
const source = (path) => resolve(import.meta.dirname, `../../libs/${path}.ts`);
await build({
  entryPoints: [entry],
  outfile: bundle,
  bundle: true,
  platform: 'node',
  logLevel: 'error',
  alias: {
    ...Object.fromEntries(names.map((name) => [`@dacapo/${name}`, source(`${name}/src/index`)])),
    '@dacapo/protocol/api': source('protocol/src/api'),
  },
  nodePaths: [resolve(import.meta.dirname, '../../node_modules')],
});

const spool = join(folder, 'spool');
const lifeMs = (Number(flags.minutes) * 60_000) / (PROCESSES - 1);
for (let process_ = 0; process_ < PROCESSES; process_++) {
  const env = {
    ...process.env,
    URL: `http://127.0.0.1:${server.address().port}`,
    LEDGER: ledger,
    ERRORS: errors,
    SPOOL: spool,
    POISON: process_ === 0 ? POISON : '',
  };
  const child = spawn(process.execPath, [bundle], { env, stdio: 'inherit' });
  // Kill the first process while the poisoned batch waits.
  if (process_ === 0) while (refusals === 0) await sleep(1);
  else await sleep(lifeMs);
  child.kill(process_ % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
  await once(child, 'close');
  console.error(`· process ${process_ + 1}: ${stored.size} spans stored, ${refusals} batches refused`);
}
/** Spool files that are not sent yet. */
const waiting = () => readdirSync(spool, { recursive: true }).filter((name) => name.endsWith('.spool'));
// Sends what the last process left. On a busy machine, one process may not be enough.
for (let life = 0; life < 5 && (life === 0 || waiting().length > 0); life++) {
  const env = {
    ...process.env,
    URL: `http://127.0.0.1:${server.address().port}`,
    LEDGER: ledger,
    ERRORS: errors,
    SPOOL: spool,
    POISON: '',
  };
  const last = spawn(process.execPath, [bundle], { env, stdio: 'inherit' });
  await sleep(5000);
  last.kill('SIGTERM');
  await once(last, 'close');
}

const lines = readFileSync(ledger, 'utf8').trim().split('\n');
const poisoned = lines.filter((line) => line.startsWith('poisoned '));
const sent = lines.filter((line) => !line.startsWith('poisoned '));
const quarantined = readdirSync(spool, { recursive: true }).filter((name) => name.endsWith('.refused'));
const reports = readFileSync(errors, 'utf8')
  .trim()
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line));
const result = {
  recorded: sent.length,
  stored: sent.filter((id) => stored.has(id)).length,
  lost: sent.filter((id) => !stored.has(id)).length,
  twice: [...stored].filter(([, times]) => times > 1).length,
  poisoned: poisoned.length,
  waitingFiles: waiting().length,
  quarantinedFiles: quarantined.length,
  refusedRequests: refusals,
  reports: reports.map(({ code, reason, count }) => `${code} ${reason ?? ''} ${count ?? ''}`),
};
console.log(JSON.stringify(result, null, 2));
server.close();
rmSync(folder, { recursive: true, force: true });
const isRight = result.lost === 0 && result.twice === 0 && quarantined.length === 1 && poisoned.length === 1;
process.exitCode = isRight ? 0 : 1;
