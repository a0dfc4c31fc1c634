/**
 * Feeds every parser with what no one would send: `npm run test:fuzz -- --seconds 60 --seed 7 [--target "ingest lines"]`.
 *
 * Nothing may be thrown but errors of ours, nothing may take longer than ten seconds, and what is beside a bad input stays as it is.
 */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { Random } from './random.mjs';
import { TARGETS } from './targets.mjs';

/** For an input of at most 200,000 characters. */
const HANG_MS = 10_000;
/** Shown of each target. */
const FINDINGS = 3;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1e9) },
    target: { type: 'string' },
  },
});
const names = Object.keys(TARGETS).filter((name) => values.target === undefined || name === values.target);
if (names.length === 0)
  throw new Error(`No target ${values.target}. There are: ${Object.keys(TARGETS).join(', ')}`);
const shareMs = (Number(values.seconds) * 1000) / names.length;
console.log(`Seed ${values.seed}, ${values.seconds} s, ${names.length} targets.`);

let findings = 0;
for (const name of names) {
  const untilMs = Date.now() + shareMs;
  let inputs = 0;
  const found = [];
  for (let from = 0; Date.now() < untilMs;) {
    const end = await runUntilHang(name, from, untilMs, found);
    inputs += end.inputs;
    if (end.hungAt === undefined) break;
    const input = TARGETS[name].make(new Random(values.seed, name, end.hungAt));
    found.push({ index: end.hungAt, input, problem: `took longer than ${HANG_MS} ms` });
    from = end.hungAt + 1;
  }
  findings += found.length;
  console.log(`${found.length === 0 ? '✓' : '✗'} ${name}: ${inputs} inputs, ${found.length} findings`);
  for (const { index, input, problem } of found.slice(0, FINDINGS)) {
    console.log(
      `  input ${index}: ${JSON.stringify(input.slice(0, 1500))}${input.length > 1500 ? ` … ${input.length}` : ''}`,
    );
    console.log(`  ${problem.split('\n').slice(0, 6).join('\n  ')}`);
  }
}
process.exitCode = findings === 0 ? 0 : 1;

async function runUntilHang(target, from, untilMs, found) {
  const progress = new SharedArrayBuffer(4);
  const worker = new Worker(new URL('fuzz-worker.mjs', import.meta.url), {
    workerData: { seed: values.seed, target, from, progress, untilMs },
  });
  let done;
  worker.on('message', (message) => {
    if (message.done === undefined) found.push(message);
    else ({ done } = message);
  });
  worker.on('error', (error) => {
    found.push({
      index: new Int32Array(progress)[0],
      input: '',
      problem: `the thread ended: ${error.message}`,
    });
  });
  const ended = once(worker, 'exit');
  let last = -1;
  let since = Date.now();
  const watch = setInterval(() => {
    const now = Atomics.load(new Int32Array(progress), 0);
    if (now !== last) [last, since] = [now, Date.now()];
    else if (Date.now() - since > HANG_MS) void worker.terminate();
  }, 500);
  await ended;
  clearInterval(watch);
  return done === undefined && Date.now() < untilMs
    ? { inputs: last - from, hungAt: last }
    : { inputs: done ?? last - from };
}
