/**
 * Measures the cost of ingesting spans by OTLP compared with our own route: the same content, over HTTP from eight clients.
 *
 *   node bench/otlp/run.mjs [--json] [--spans 10000] [--rounds 5]
 *
 * Each arm is a fresh process with an empty database. Ratios are within a round; all figures are medians of the rounds.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { toOtlpSpan, writeJsonRequest } from '@dacapo/protocol/otlp';
import { makeSpans, toBatches } from '../collector/records.mjs';
import { encodeRequest } from './encode-request.mjs';

const BATCH_SIZE = 100;
const CLIENTS = 8;

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    spans: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
  },
});
const count = Number(values.spans);

/** The same span as a sender with the GenAI conventions writes it. */
function toGenAi({ span, source }) {
  const { attributes } = span;
  const own = Object.entries(attributes).filter(([name]) => !name.startsWith('dacapo.'));
  const key = attributes['dacapo.key'];
  return { source, span: { ...span, attributes: { 'dacapo.key': key, ...Object.fromEntries(own) } } };
}

function inChunks(list, size) {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, n) =>
    list.slice(n * size, (n + 1) * size),
  );
}

const makeWritten = () =>
  inChunks(makeSpans(count).map(withMessages).map(toOtlpSpan).map(toGenAi), BATCH_SIZE);
/** Replaces input and output by messages, because the benchmark's records have no form that a convention defines. */
function withMessages(span) {
  const [{ messages }] = span.span_data.input;
  const output = { role: 'assistant', content: span.span_data.output.text };
  return { ...span, span_data: { ...span.span_data, input: [messages], output } };
}

const arms = {
  own: {
    path: '/api/v1/ingest',
    type: 'application/x-ndjson',
    bodies: () => toBatches(makeSpans(count).map(withMessages), BATCH_SIZE),
  },
  protobuf: {
    path: '/v1/traces',
    type: 'application/x-protobuf',
    bodies: () => makeWritten().map(encodeRequest),
  },
  json: {
    path: '/v1/traces',
    type: 'application/json',
    bodies: () => makeWritten().map((spans) => JSON.stringify(writeJsonRequest(spans))),
  },
};

async function measure({ path, type, bodies: makeBodies }) {
  const directory = mkdtempSync(join(tmpdir(), 'dacapo-bench-'));
  const child = fork(join(import.meta.dirname, '../collector/collector-process.mjs'), [directory]);
  const [{ url, apiKey }] = await once(child, 'message');
  const bodies = makeBodies().map((body) => Buffer.from(body));
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const send = (body) =>
    new Promise((resolve, reject) => {
      const headers = { 'api-key': apiKey, 'content-type': type, 'content-length': body.length };
      request(url + path, { method: 'POST', agent, headers }, (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.once('end', () => {
          const text = Buffer.concat(chunks).toString();
          const isWhole = response.statusCode === 200 && (path === '/api/v1/ingest' || text.length <= 2);
          if (isWhole) resolve();
          else reject(new Error(`${path} returned ${response.statusCode}: ${text}`));
        });
      })
        .once('error', reject)
        .end(body);
    });
  const start = performance.now();
  const drain = async () => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) await send(body);
  };
  await Promise.all(Array.from({ length: CLIENTS }, drain));
  const seconds = (performance.now() - start) / 1000;
  agent.destroy();
  child.send('stop');
  const [usage] = await once(child, 'message');
  await once(child, 'exit');
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
  return { seconds, ...usage };
}

const rounds = [];
const names = Object.keys(arms);
for (let round = 0; round < Number(values.rounds); round++) {
  const measured = {};
  // Rotate the first arm, because the writes of an arm slow down the next one.
  for (let n = 0; n < names.length; n++) {
    const name = names[(round + n) % names.length];
    measured[name] = await measure(arms[name]);
  }
  rounds.push(measured);
  process.stderr.write(`· round ${round + 1} of ${values.rounds}\n`);
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
const rounded = (number, digits = 0) => Number(number.toFixed(digits));
const rows = names.map((arm) => ({
  arm,
  'spans/s': rounded(count / median(rounds.map((round) => round[arm].seconds))),
  'CPU µs/span': rounded((median(rounds.map((round) => round[arm].cpuSeconds)) / count) * 1e6, 1),
  'of own, clock': rounded(median(rounds.map((round) => round.own.seconds / round[arm].seconds)), 2),
  'of own, CPU': rounded(median(rounds.map((round) => round.own.cpuSeconds / round[arm].cpuSeconds)), 2),
}));
const head = {
  node: process.version,
  cpu: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
  spans: count,
};
if (values.json) process.stdout.write(`${JSON.stringify({ ...head, rows })}\n`);
else {
  console.log(`${count} spans, ${values.rounds} rounds; Node ${head.node}, ${head.cpu}`);
  console.table(rows);
}
