/**
 * Measures the cost of ingesting spans of 4 KB in batches of a hundred, over HTTP from eight clients.
 *
 *   node bench/collector/run.mjs [--json] [--spans 20000] [--rounds 5]
 *
 * Each round also writes the same batches directly through the store's port, and inserts their raw lines into a table with one
 * key. `DACAPO_BENCH_OTHER=<path>` adds the collector of another built tree. Each arm is a fresh process with an empty database.
 * Ratios are within a round; all figures are medians of the rounds. On a busy machine, CPU time is more reliable than the clock.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openClient } from './client.mjs';
import { makeSpans, toBatches } from './records.mjs';

const BATCH_SIZE = 100;
const CLIENTS = 8;

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    spans: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '5' },
  },
});
const count = Number(values.spans);
const other = process.env.DACAPO_BENCH_OTHER;

async function measureCollector(directory, tree) {
  const child = fork(join(tree, 'bench/collector/collector-process.mjs'), [directory]);
  const [{ url, apiKey }] = await once(child, 'message');
  const bodies = toBatches(makeSpans(count), BATCH_SIZE).map((batch) => Buffer.from(batch));
  const client = openClient(url, apiKey, CLIENTS);
  const latencies = [];
  const start = performance.now();
  const send = async () => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
      const sentAt = performance.now();
      await client.ingest(body);
      latencies.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, send));
  const seconds = (performance.now() - start) / 1000;
  client.close();
  child.send('stop');
  const [usage] = await once(child, 'message');
  await once(child, 'exit');
  latencies.sort((a, b) => a - b);
  return { seconds, batchP99Ms: latencies[Math.floor(latencies.length * 0.99)], ...usage };
}

async function measureStore(directory, kind) {
  const script = join(import.meta.dirname, 'store-process.mjs');
  const child = fork(script, [kind, directory, String(count), String(BATCH_SIZE), String(CLIENTS)]);
  const [usage] = await once(child, 'message');
  await once(child, 'exit');
  return usage;
}

const ROOT = join(import.meta.dirname, '../..');
const arms = {
  raw: (directory) => measureStore(directory, 'raw'),
  port: (directory) => measureStore(directory, 'port'),
  collector: (directory) => measureCollector(directory, ROOT),
  ...(other !== undefined && { other: (directory) => measureCollector(directory, other) }),
};

const rounds = [];
for (let round = 0; round < Number(values.rounds); round++) {
  const measured = {};
  // Rotate the first arm, because the writes of an arm slow down the next one.
  const names = Object.keys(arms);
  for (let n = 0; n < names.length; n++) {
    const name = names[(round + n) % names.length];
    const directory = mkdtempSync(join(tmpdir(), 'dacapo-bench-'));
    measured[name] = await arms[name](directory);
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
  }
  rounds.push(measured);
  process.stderr.write(`· round ${round + 1} of ${values.rounds}\n`);
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
const rounded = (number, digits = 0) => Number(number.toFixed(digits));
const inTheMiddle = (of) => median(rounds.map(of));
const rows = Object.keys(arms).map((name) => ({
  arm: name,
  'spans/s': rounded(count / inTheMiddle((round) => round[name].seconds)),
  'CPU µs/span': rounded((inTheMiddle((round) => round[name].cpuSeconds) / count) * 1e6, 1),
  'resident MiB': rounded(inTheMiddle((round) => round[name].rssMb)),
  ...(rounds[0][name].batchP99Ms !== undefined && {
    'batch p99 ms': rounded(inTheMiddle((round) => round[name].batchP99Ms)),
  }),
}));
const ratios = Object.keys(arms)
  .filter((name) => name !== 'collector')
  .map((name) => ({
    'collector compared with': name,
    clock: rounded(
      inTheMiddle((round) => round[name].seconds / round.collector.seconds),
      2,
    ),
    CPU: rounded(
      inTheMiddle((round) => round[name].cpuSeconds / round.collector.cpuSeconds),
      2,
    ),
  }));
const head = {
  node: process.version,
  cpu: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
  spans: count,
};

if (values.json) process.stdout.write(`${JSON.stringify({ ...head, rows, ratios })}\n`);
else {
  console.log(`${count} spans, ${values.rounds} rounds; Node ${head.node}, ${head.cpu}`);
  console.table(rows);
  console.log('Speed ratios (above 1: the collector is faster)');
  console.table(ratios);
}
