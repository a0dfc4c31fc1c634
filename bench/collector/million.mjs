/**
 * Measures reads in a database of a million spans, 100,000 of them replays, while 1,000 spans per second arrive.
 *
 *   node bench/collector/million.mjs [--json] [--spans 1000000] [--rounds 60] [--rate 1000] [--rebuild]
 *     [--database <folder>] [--reads <text>]
 *
 * The database is created once through the store's port and kept in `--database` (default: `.cache/bench`); each run uses a copy.
 * Each read whose name contains `--reads` (default: all) runs once per round with new parameters. Figures cover all rounds, per
 * read and per group. Percentiles are nearest ranks, omitted if that would be the slowest round. The client and the sender share
 * the cores with the collector, so the delay of the client's own timer is also printed.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { buildDatabase } from './build-database.mjs';
import { openClient } from './client.mjs';
import { buildReads } from './reads.mjs';

/** Interval of the client's timer. */
const TIMER_MS = 1;

const rounded = (number) => Number(number.toFixed(1));

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    spans: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '1000' },
    rebuild: { type: 'boolean', default: false },
    database: { type: 'string' },
    reads: { type: 'string', default: '' },
  },
});

const kept = values.database ?? join(import.meta.dirname, '../../.cache/bench', `collector-${values.spans}`);
const { apiKey } = await buildDatabase(kept, Number(values.spans), values.rebuild);
const directory = mkdtempSync(`${kept}-`);
cpSync(kept, directory, { recursive: true });
const service = fork(join(import.meta.dirname, 'collector-process.mjs'), [directory]);
const [{ url }] = await once(service, 'message');
const writer = fork(join(import.meta.dirname, 'paced-ingest.mjs'), [url, apiKey, values.rate]);
await once(writer, 'message');

const client = openClient(url, apiKey, 1);
const reads = Object.fromEntries(
  Object.entries(await buildReads(client)).filter(([name]) => name.includes(values.reads)),
);
// Warm-up: migrations may have left metrics to roll up, and statements are not prepared yet.
for (const read of Object.values(reads)) await read(0);
const lateness = monitorEventLoopDelay({ resolution: TIMER_MS });
lateness.enable();
const taken = Object.fromEntries(Object.keys(reads).map((name) => [name, []]));
for (let round = 1; round <= Number(values.rounds); round++) {
  for (const [name, read] of Object.entries(reads)) {
    const start = performance.now();
    await read(round);
    taken[name].push(performance.now() - start);
  }
}
lateness.disable();
client.close();
writer.send('stop');
const [ingested] = await once(writer, 'message');
service.send('stop');
const [{ rssMb, peakRssMb, cpuSeconds }] = await once(service, 'message');
await once(service, 'exit');
rmSync(directory, { recursive: true });

/** The nearest rank, unless that is the maximum, which is no estimate of the percentile. */
const at = (numbers, share) => {
  const rank = Math.ceil(numbers.length * share);
  if (rank === numbers.length) return undefined;
  return rounded(numbers.toSorted((a, b) => a - b)[rank - 1]);
};
const summarize = (ms) => ({
  p50: at(ms, 0.5),
  p95: at(ms, 0.95),
  p99: at(ms, 0.99),
  most: rounded(Math.max(...ms)),
});
const rows = Object.entries(taken).map(([read, ms]) => ({ read, ...summarize(ms) }));
const groups = [...new Set(Object.keys(taken).map(findGroup))].map((group) => {
  const reads = Object.entries(taken).filter(([name]) => findGroup(name) === group);
  return { group, reads: reads.length, ...summarize(reads.flatMap(([, ms]) => ms)) };
});
const more = {
  'ingested spans/s': ingested.rate,
  'batch p95 ms': at(ingested.latencies, 0.95),
  'resident MiB': Math.round(rssMb),
  'peak MiB': Math.round(peakRssMb),
  'CPU s': Number(cpuSeconds.toFixed(1)),
  'client late p95 ms': rounded(lateness.percentile(95) / 1e6 - TIMER_MS),
  'client late p99 ms': rounded(lateness.percentile(99) / 1e6 - TIMER_MS),
  load: loadavg()[0].toFixed(1),
};
if (values.json) process.stdout.write(`${JSON.stringify({ rows, groups, ...more })}\n`);
else {
  console.table(rows);
  console.table(groups);
  console.table([more]);
}

/** The latency goals of reads apply to these groups. */
function findGroup(name) {
  if (/\btext\b/.test(name)) return 'text';
  const [first] = name.split(',');
  if (first.startsWith('metrics')) return 'metrics';
  if (first === 'calls of a key') return 'call search';
  if (first !== 'traces') return first;
  return name.endsWith('a later page') ? 'traces, later pages' : 'traces';
}
