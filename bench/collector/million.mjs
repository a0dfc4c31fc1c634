/**
 * How long reads take in a database of a million spans, 100,000 of them replays, while spans come in at 1,000 a second.
 *
 *   node bench/collector/million.mjs [--json] [--spans 1000000] [--rounds 60] [--rate 1000] [--rebuild]
 *     [--database <folder>] [--reads <text>]
 *
 * The database is put through the store's port once and kept, under `.cache/bench` where no folder is given; each run has a copy of
 * it. Every read, or those whose names have the text, is asked once a round, each time for something else; figures are those of all
 * rounds.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildDatabase } from './build-database.mjs';
import { openClient } from './client.mjs';
import { readsOf } from './reads.mjs';

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
  Object.entries(await readsOf(client)).filter(([name]) => name.includes(values.reads)),
);
// Once before it counts: migrations may have left metrics to roll up, and no statement is prepared yet.
for (const read of Object.values(reads)) await read(0);
const taken = Object.fromEntries(Object.keys(reads).map((name) => [name, []]));
for (let round = 1; round <= Number(values.rounds); round++) {
  for (const [name, read] of Object.entries(reads)) {
    const start = performance.now();
    await read(round);
    taken[name].push(performance.now() - start);
  }
}
client.close();
writer.send('stop');
const [ingested] = await once(writer, 'message');
service.send('stop');
const [{ rssMb, peakRssMb, cpuSeconds }] = await once(service, 'message');
await once(service, 'exit');
rmSync(directory, { recursive: true });

const at = (numbers, share) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  return Number(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(1));
};
const rows = Object.entries(taken).map(([read, ms]) => ({ read, p50: at(ms, 0.5), p95: at(ms, 0.95) }));
const more = {
  'ingested spans/s': ingested.rate,
  'batch p95 ms': at(ingested.latencies, 0.95),
  'resident MiB': Math.round(rssMb),
  'peak MiB': Math.round(peakRssMb),
  'CPU s': Number(cpuSeconds.toFixed(1)),
  load: loadavg()[0].toFixed(1),
};
if (values.json) process.stdout.write(`${JSON.stringify({ rows, ...more })}\n`);
else {
  console.table(rows);
  console.table([more]);
}
