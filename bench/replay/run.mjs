/**
 * Compares the cost of a replay with its minimum work: fetching recorded calls and ingesting as many records.
 *
 *   node bench/replay/run.mjs [--json] [--calls 10000] [--rounds 5]
 *
 * Replays calls of 2 kB through a function that does nothing. Rounds are interleaved. Every figure is the median of its rounds, as
 * is the ratio, because the speed of the machine varies between rounds. Build first. Exits with 1 if the ratio exceeds 1.5.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Tracer } from '@dacapo/tracer';

const ALLOWED_RATIO = 1.5;
const TEXT = 'A customer asks for the refund of an order. '.repeat(24).slice(0, 1000);

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    calls: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
  },
});
const calls = Number(values.calls);

const folder = mkdtempSync(join(tmpdir(), 'dacapo-bench-'));
const service = fork(new URL('../collector/collector-process.mjs', import.meta.url), [join(folder, 'data')]);
const [{ url, apiKey }] = await once(service, 'message');
const tracer = new Tracer({ apiKey, serviceUrl: url, delivery: { spoolDir: join(folder, 'spool') } });
const answer = (question) => question;

/** Records calls and waits until they are stored. */
async function record(key) {
  const traced = tracer.withSpan(key, answer);
  for (let n = 0; n < calls; n++) {
    traced(`${n} ${TEXT}`);
    if (n % 500 === 499) await new Promise(setImmediate);
  }
  if (!(await tracer.flush())) throw new Error('not all records were stored');
}

/** Reads all calls with a key page by page, like a replay. */
async function fetchCalls(key) {
  let cursor;
  let read = 0;
  do {
    const response = await fetch(`${url}/api/v1/calls/search`, {
      method: 'POST',
      headers: { 'api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ trace_function_key: key, limit: 50, descendants: true, cursor }),
    });
    const page = await response.json();
    read += page.items.length;
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  if (read !== calls) throw new Error(`${read} of ${calls} calls were read`);
}

async function replay(key) {
  const { totals } = await tracer.replay(key, answer, { keep: 'none' });
  if (totals.same !== calls) throw new Error(`${totals.same} of ${calls} calls are the same`);
}

async function measureSeconds(work) {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
const seconds = { ingest: [], fetch: [], replay: [] };
for (let round = 0; round < Number(values.rounds); round++) {
  const key = `bench-${round}`;
  seconds.ingest.push(await measureSeconds(() => record(key)));
  seconds.fetch.push(await measureSeconds(() => fetchCalls(key)));
  seconds.replay.push(await measureSeconds(() => replay(key)));
}
await tracer.shutdown();
service.kill();
await once(service, 'exit');
rmSync(folder, { recursive: true });

const [ingest, fetching, replaying] = [seconds.ingest, seconds.fetch, seconds.replay].map(median);
const ratios = seconds.replay.map(
  (replayed, round) => replayed / (seconds.ingest[round] + seconds.fetch[round]),
);
const ratio = Number(median(ratios).toFixed(2));
const result = {
  calls,
  ingest_s: ingest,
  fetch_s: fetching,
  replay_s: replaying,
  ratio,
  allowed: ALLOWED_RATIO,
};
if (values.json) console.log(JSON.stringify(result));
else console.table([result]);
process.exitCode = ratio > ALLOWED_RATIO ? 1 : 0;
