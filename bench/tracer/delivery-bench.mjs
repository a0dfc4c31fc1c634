/**
 * CPU per record of delivery only: finished lines go in, and a healthy sink in another process counts them.
 *
 *   node bench/tracer/delivery-bench.mjs [--json] [--rounds 7]
 *
 * `tight` writes each line into a reused buffer and posts it when full, with no retry, bound, or file behind it.
 * Rounds are interleaved, and every figure is the median of its rounds. Build first: `npm run build`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { HttpDelivery } from '../../.cache/tsc/tracer/delivery/http-delivery.js';
import { post } from './arms/post.mjs';
import { median, withSink } from './children.mjs';

const { values: flags } = parseArgs({
  options: { json: { type: 'boolean', default: false }, rounds: { type: 'string', default: '7' } },
});
const RECORDS = 51_200;
const SIZES = { A: 523, B: 6_400, C: 1_000 };

function tight(url) {
  const free = [];
  const posts = new Set();
  let buffer = Buffer.allocUnsafeSlow(1024 * 1024);
  let used = 0;
  let count = 0;
  const send = () => {
    const full = buffer;
    const sent = post(url, full.subarray(0, used)).then(() => {
      free.push(full);
      posts.delete(sent);
    });
    posts.add(sent);
    buffer = free.pop() ?? Buffer.allocUnsafeSlow(1024 * 1024);
    used = count = 0;
  };
  return {
    add(line) {
      used += buffer.write(`${line}\n`, used);
      if (++count >= 512 || used > buffer.length - 64 * 1024) send();
    },
    async finish() {
      if (count > 0) send();
      await Promise.all(posts);
    },
  };
}

function dacapo(spool) {
  return (url) => {
    const spoolDir = mkdtempSync(join(tmpdir(), 'dacapo-bench-'));
    const delivery = new HttpDelivery({
      serviceUrl: url,
      apiKey: 'bench',
      timeoutMs: 120_000,
      options: { spool, spoolDir },
      report: (error) => console.error(error),
    });
    return {
      add: (line) => delivery.add(line),
      async finish() {
        await delivery.flush();
        const { delivered, recorded } = delivery.stats();
        if (delivered !== recorded) throw new Error(`${recorded - delivered} records were not delivered`);
        await delivery.shutdown();
        rmSync(spoolDir, { recursive: true });
      },
    };
  };
}

/** Concatenated strings like those of the recorder, which must be flattened before they are written. */
function lineMaker(bytes) {
  const payload = JSON.stringify('x'.repeat(bytes - 120));
  return (n) =>
    `{"span":{"id":"${n.toString(16).padStart(16, '0')}","trace_id":"01890a5d-ac96-774b-bcce-b302099a8057","span_data":{"input":[${payload}]}}}`;
}

async function measure(arm, url, bytes) {
  const { add, finish } = arm(url);
  const line = lineMaker(bytes);
  const begun = process.cpuUsage();
  for (let n = 0; n < RECORDS; n++) {
    add(line(n));
    if (n % 100 === 99) await new Promise(setImmediate);
  }
  await finish();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / RECORDS;
}

const arms = { tight, dacapo: dacapo('auto'), 'dacapo, spool always': dacapo('always') };
const rows = {};
await withSink('healthy', async (url) => {
  for (const [size, bytes] of Object.entries(SIZES)) {
    const seen = Object.fromEntries(Object.keys(arms).map((name) => [name, []]));
    for (let round = 0; round <= Number(flags.rounds); round++) {
      for (const [name, arm] of Object.entries(arms)) {
        const cpuUs = await measure(arm, url, bytes);
        if (round > 0) seen[name].push(cpuUs);
      }
    }
    const base = median(seen.tight);
    for (const [name, rounds] of Object.entries(seen)) {
      (rows[name] ??= {})[`${size}, µs a record`] = Number(median(rounds).toFixed(2));
      rows[name][`${size}, × tight`] = Number((median(rounds) / base).toFixed(2));
    }
  }
});
if (flags.json) console.log(JSON.stringify(rows));
else console.table(rows);
