/**
 * Measures how one account is affected by another one that floods the service with batches of 1 MB:
 *
 *   node bench/collector/flood.mjs [--json] [--seconds 10] [--connections 4,64]
 *
 * The control process uses as much CPU as the flood and the service's work for it, but sends no requests. A ratio compares the
 * account's latency during the flood with its latency during the control.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const { createAccount } = createRequire(import.meta.url)('@dacapo/collector');

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '10' },
    connections: { type: 'string', default: '4,64' },
  },
});
const seconds = Number(values.seconds);
const script = (name) => join(import.meta.dirname, name);

/** Runs until it gets a stop message, then sends its measurements. */
async function start(name, ...args) {
  const child = fork(script(name), args.map(String));
  const [ready] = await once(child, 'message');
  return {
    ready,
    stop: async () => {
      child.send('stop');
      const [measured] = await once(child, 'message');
      await once(child, 'exit');
      return measured;
    },
  };
}

/** Measures a customer's account during other work. */
async function measure(startLoad) {
  const dataDir = mkdtempSync(join(tmpdir(), 'dacapo-flood-'));
  const [customer, flooder] = [
    await createAccount({ dataDir, name: 'customer' }),
    await createAccount({ dataDir, name: 'flooder' }),
  ];
  const service = await start('collector-process.mjs', dataDir);
  const { url } = service.ready;
  const other = await startLoad?.(url, flooder.api_key.api_key);
  await sleep(1000);
  const client = await start('flood-customer.mjs', url, customer.api_key.api_key);
  await sleep(seconds * 1000);
  const latencies = await client.stop();
  const loadStats = await other?.stop();
  const { cpuSeconds } = await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
  return {
    ...latencies,
    cpuSeconds: cpuSeconds + (loadStats?.cpuSeconds ?? 0),
    ...(loadStats && { loadStats }),
  };
}

const quiet = await measure();
const rows = [];
for (const connections of values.connections.split(',').map(Number)) {
  const flood = await measure((url, key) => start('flood-sender.mjs', url, key, connections));
  const cores = Math.max(0, flood.cpuSeconds - quiet.cpuSeconds) / (seconds + 1);
  const control = await measure(() => start('flood-control.mjs', cores));
  const ratio = (what) => flood[what].p50Ms / control[what].p50Ms;
  rows.push({ connections, cores, flood, control, ingestRatio: ratio('ingest'), listRatio: ratio('list') });
}

if (values.json) {
  console.log(JSON.stringify({ quiet, rows }));
} else {
  const show = (name, { ingest, list }) => {
    const of = ({ p50Ms, p95Ms, count }) => `${p50Ms.toFixed(1)} / ${p95Ms.toFixed(1)} ms (${count})`;
    console.log(`${name.padEnd(28)} ingest ${of(ingest).padEnd(28)} lists ${of(list)}`);
  };
  console.log('p50 / p95 of another account (requests)');
  show('quiet', quiet);
  for (const { connections, cores, flood, control, ingestRatio, listRatio } of rows) {
    show(`flood, ${connections} connections`, flood);
    show(`control, ${cores.toFixed(2)} cores`, control);
    const { batches, refused, megabytes } = flood.loadStats;
    console.log(
      `  p50 with the flood is ${ingestRatio.toFixed(2)} × (ingest) and ${listRatio.toFixed(2)} × (lists) the p50 with the control.` +
        ` The flood: ${batches} batches, ${(megabytes / seconds).toFixed(1)} MB/s, ${refused} refused.`,
    );
  }
}
