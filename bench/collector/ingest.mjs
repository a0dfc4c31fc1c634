/**
 * Spans a second that the built collector stores durably, beside raw inserts into the same database in the same run.
 *
 *   node bench/collector/ingest.mjs [--json] [--spans 20000] [--rounds 3]
 *
 * Rounds are interleaved, and every figure is the median of its rounds.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { insertRaw } from './raw-inserts.mjs';
import { makeSpans, toBatches } from './records.mjs';

const BATCH_SIZE = 100;
const CONNECTIONS = [1, 8];

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    spans: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '3' },
  },
});

function post(agent, url, apiKey, body) {
  return new Promise((resolve, reject) => {
    const headers = {
      'api-key': apiKey,
      'content-type': 'application/x-ndjson',
      'content-length': body.length,
    };
    const sent = request(`${url}/api/v1/ingest`, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.once('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`ingest answered ${response.statusCode}`));
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

async function measureCollector(directory, connections, batches) {
  const child = fork(join(import.meta.dirname, 'collector-process.mjs'), [
    join(directory, `c${connections}`),
  ]);
  const [{ url, apiKey }] = await once(child, 'message');
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const bodies = batches.map((batch) => Buffer.from(batch));
  await post(agent, url, apiKey, Buffer.from(''));
  const latencies = [];
  let next = 0;
  const start = performance.now();
  const drain = async () => {
    while (next < bodies.length) {
      const body = bodies[next++];
      const sentAt = performance.now();
      await post(agent, url, apiKey, body);
      latencies.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, drain));
  const seconds = (performance.now() - start) / 1000;
  agent.destroy();
  child.send('stop');
  const [usage] = await once(child, 'message');
  await once(child, 'exit');
  latencies.sort((a, b) => a - b);
  return { seconds, p99Ms: latencies[Math.floor(latencies.length * 0.99)], ...usage };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

const count = Number(values.spans);
const results = { raw: [], ...Object.fromEntries(CONNECTIONS.map((connections) => [connections, []])) };
let lineBytes = 0;
for (let round = 0; round < Number(values.rounds); round++) {
  const directory = mkdtempSync(join(tmpdir(), 'dacapo-bench-'));
  const batches = toBatches(makeSpans(count), BATCH_SIZE);
  lineBytes = Math.round(batches.reduce((bytes, batch) => bytes + batch.length, 0) / count);
  results.raw.push({ seconds: insertRaw(directory, batches) });
  for (const connections of CONNECTIONS) {
    results[connections].push(await measureCollector(directory, connections, batches));
  }
  rmSync(directory, { recursive: true, force: true });
}

const rate = (name) => count / median(results[name].map(({ seconds }) => seconds));
const report = {
  node: process.version,
  cpu: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
  spans: count,
  lineBytes,
  batchSize: BATCH_SIZE,
  rawInsertsPerSecond: Math.round(rate('raw')),
  collector: CONNECTIONS.map((connections) => ({
    connections,
    spansPerSecond: Math.round(rate(connections)),
    ratioToRaw: Number((rate(connections) / rate('raw')).toFixed(2)),
    batchP99Ms: Math.round(median(results[connections].map(({ p99Ms }) => p99Ms))),
    cpuMicrosecondsPerSpan: Math.round(
      (median(results[connections].map(({ cpuSeconds }) => cpuSeconds)) / count) * 1e6,
    ),
    rssMb: Math.round(median(results[connections].map(({ rssMb }) => rssMb))),
  })),
};

if (values.json) process.stdout.write(`${JSON.stringify(report)}\n`);
else {
  const { collector, ...head } = report;
  process.stdout.write(
    `${head.spans} spans of ${head.lineBytes} B in batches of ${head.batchSize}; Node ${head.node}, ${head.cpu}\n` +
      `raw inserts          ${head.rawInsertsPerSecond} spans/s\n`,
  );
  for (const one of collector) {
    process.stdout.write(
      `collector, ${one.connections} client${one.connections === 1 ? ' ' : 's'}  ${one.spansPerSecond} spans/s  ` +
        `${one.ratioToRaw} of raw  batch p99 ${one.batchP99Ms} ms  ${one.cpuMicrosecondsPerSpan} µs CPU a span  ` +
        `${one.rssMb} MiB\n`,
    );
  }
}
