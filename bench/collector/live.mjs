/**
 * Measures the latency of `/health/live` while a collector receives the largest lines and bodies that it accepts.
 *
 *   node bench/collector/live.mjs [--json] [--seconds 6] [--rate 1000] [--senders 3] [--only <text>]
 *
 * Spans arrive at a fixed rate throughout. In each phase, some senders repeatedly send one kind of line or body, each after the
 * previous response. A separate process requests `/health/live` every 10 ms over one connection, and records the delay of its own
 * timer, which other work on the machine adds to the latency. Percentiles are nearest ranks.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makeSpans } from './records.mjs';

const EVERY_MS = 10;
const LINE_BYTES = 8 * 1024 * 1024;
const BODY_BYTES = 20 * 1024 * 1024;
/** Room for the names, ids and times of a span, and for the text around a list. */
const REST_BYTES = 16 * 1024;

async function main() {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '6' },
      rate: { type: 'string', default: '1000' },
      senders: { type: 'string', default: '3' },
      only: { type: 'string', default: '' },
    },
  });
  const directory = mkdtempSync(join(tmpdir(), 'dacapo-bench-'));
  const service = fork(join(import.meta.dirname, 'collector-process.mjs'), [directory]);
  const [{ url, apiKey }] = await once(service, 'message');
  const prober = fork(import.meta.filename, ['probe', url]);
  const writer = fork(join(import.meta.dirname, 'paced-ingest.mjs'), [url, apiKey, values.rate]);
  await Promise.all([once(prober, 'message'), once(writer, 'message')]);

  const rows = [];
  const phases = Object.entries({ 'batches of spans alone': undefined, ...KINDS });
  for (const [kind, load] of phases.filter(([name]) => name.includes(values.only))) {
    const statuses = {};
    let isOver = false;
    const senders = load === undefined ? 0 : Number(values.senders);
    const sending = Array.from({ length: senders }, async () => {
      while (!isOver) {
        const status = await send(url, apiKey, load);
        statuses[status] = (statuses[status] ?? 0) + 1;
        // Like tracers, but with shorter pauses.
        if (status === 429) await sleep(100);
      }
    });
    prober.send('begin');
    await sleep(Number(values.seconds) * 1000);
    prober.send('end');
    const [figures] = await once(prober, 'message');
    isOver = true;
    await Promise.all(sending);
    rows.push({ kind, ...figures, answers: JSON.stringify(statuses).replaceAll('"', '') });
  }
  writer.send('stop');
  await once(writer, 'message');
  prober.disconnect();
  service.send('stop');
  const [{ peakRssMb, cpuSeconds }] = await once(service, 'message');
  await once(service, 'exit');
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
  const more = {
    'peak MiB': Math.round(peakRssMb),
    'CPU s': Number(cpuSeconds.toFixed(1)),
    load: loadavg()[0].toFixed(1),
  };
  if (values.json) process.stdout.write(`${JSON.stringify({ rows, ...more })}\n`);
  else {
    console.table(rows);
    console.table([more]);
  }
}

/** As many values as fit in `bytes`. */
function makeList(value, bytes) {
  const json = JSON.stringify(value);
  return `[${`${json},`.repeat(Math.floor((bytes - REST_BYTES) / (json.length + 1)) - 1)}${json}]`;
}

function makeLine(output) {
  const [span] = makeSpans(1);
  const json = JSON.stringify({ span: { ...span, span_data: { output: 0 } } });
  return {
    path: '/api/v1/ingest',
    type: 'application/x-ndjson',
    body: Buffer.from(json.replace('"output":0', () => `"output":${output}`)),
  };
}

function makeBody(list) {
  return {
    path: '/api/v1/calls/search',
    type: 'application/json',
    body: Buffer.from(`{"trace_function_key":"answer","unknown":${list}}`),
  };
}

/** Reading the body takes the time: the service reads all of it, and then answers 400 for the unknown member. */
const KINDS = Object.fromEntries(
  Object.entries({
    'one text': (bytes) => JSON.stringify('x'.repeat(bytes - REST_BYTES)),
    'escaped text': (bytes) => JSON.stringify('"\n'.repeat((bytes - REST_BYTES) / 4)),
    'texts of a few words': (bytes) => makeList('a text of a few words, no two of them long', bytes),
    numbers: (bytes) => makeList(123.456, bytes),
    'small objects': (bytes) => makeList({ index: 7, text: 'a text of a few words, '.repeat(8) }, bytes),
    'lists in lists': (bytes) => makeList([[[['a text of a few words, '.repeat(8)]]]], bytes),
  })
    .flatMap(([name, make]) => [
      [`lines of 8 MiB: ${name}`, () => makeLine(make(LINE_BYTES))],
      [`bodies of 20 MiB: ${name}`, () => makeBody(make(BODY_BYTES))],
    ])
    .map(([name, make]) => {
      let made;
      return [name, () => (made ??= make())];
    }),
);

function send(url, apiKey, load) {
  const { path, type, body } = load();
  return new Promise((resolve, reject) => {
    const headers = { 'api-key': apiKey, 'content-type': type, 'content-length': body.length };
    const sent = request(url + path, { method: 'POST', headers }, (answer) => {
      answer.resume().once('end', () => {
        resolve(answer.statusCode);
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

async function probe(url) {
  const { openClient } = await import('./client.mjs');
  const client = openClient(url, '', 1);
  const lateness = monitorEventLoopDelay({ resolution: 1 });
  let taken = [];
  process.on('message', (message) => {
    if (message === 'begin') {
      taken = [];
      lateness.reset();
      lateness.enable();
      return;
    }
    lateness.disable();
    const sorted = taken.toSorted((a, b) => a - b);
    const at = (share) => Number((sorted[Math.ceil(sorted.length * share) - 1] ?? NaN).toFixed(1));
    process.send({
      asked: sorted.length,
      'p50 ms': at(0.5),
      'p99 ms': at(0.99),
      'most ms': at(1),
      'own timer late p99 ms': Number((lateness.percentile(99) / 1e6 - 1).toFixed(1)),
    });
  });
  process.once('disconnect', () => process.exit());
  process.send('ready');
  for (;;) {
    const begun = performance.now();
    await client.get('/health/live');
    taken.push(performance.now() - begun);
    await sleep(Math.max(0, EVERY_MS - (performance.now() - begun)));
  }
}

if (process.argv[2] === 'probe') await probe(process.argv[3]);
else await main();
