/**
 * Feeds malformed input to every parser: `npm run test:fuzz -- --seconds 60 --seed 7 [--target OTLP]`.
 *
 * `--target` limits the run to targets whose name contains the text. A parser may only throw our own errors, must finish within ten seconds, and must keep the data around an invalid input.
 */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { Random } from './random.mjs';
import { TARGETS } from './targets.mjs';

/** Time limit for an input of at most 200,000 characters. */
const HANG_MS = 10_000;
/** Maximum characters of an input to print. */
const FINDINGS = 3;
const SHOWN = 1500;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1e9) },
    target: { type: 'string' },
  },
});
const names = Object.keys(TARGETS).filter((name) => name.includes(values.target ?? ''));
if (names.length === 0)
  throw new Error(`Unknown target "${values.target}". Expected: ${Object.keys(TARGETS).join(', ')}`);
const shareMs = (Number(values.seconds) * 1000) / names.length;
console.log(`Seed ${values.seed}, ${values.seconds} s, ${names.length} targets.`);

let findings = 0;
for (const name of names) {
  let inputs = 0;
  const found = [];
  let suspect;
  for (let [from, leftMs] = [0, shareMs]; leftMs > 0;) {
    const begun = Date.now();
    const end = await runUntilHang(name, from, leftMs, found);
    inputs += end.inputs;
    if (end.hungAt === undefined) break;
    // Once may be the machine's fault.
    if (suspect === end.hungAt) {
      const input = TARGETS[name].make(new Random(values.seed, name, end.hungAt));
      found.push({ index: end.hungAt, input, problem: `took longer than ${HANG_MS} ms, twice` });
    }
    from = suspect === end.hungAt ? end.hungAt + 1 : end.hungAt;
    suspect = end.hungAt;
    leftMs -= Date.now() - begun;
  }
  findings += found.length;
  console.log(`${found.length === 0 ? '✓' : '✗'} ${name}: ${inputs} inputs, ${found.length} findings`);
  for (const { index, input, problem } of found.slice(0, FINDINGS)) {
    const rest = input.length > SHOWN ? ` … ${input.length}` : '';
    console.log(`  input ${index}: ${JSON.stringify(input.slice(0, SHOWN))}${rest}`);
    console.log(`  ${problem.split('\n').slice(0, 6).join('\n  ')}`);
  }
}
process.exitCode = findings === 0 ? 0 : 1;

async function runUntilHang(target, from, forMs, found) {
  const progress = new SharedArrayBuffer(4);
  const number = new Int32Array(progress).fill(-1);
  const worker = new Worker(new URL('fuzz-worker.mjs', import.meta.url), {
    workerData: { seed: values.seed, target, from, progress, forMs },
  });
  let done;
  worker.on('message', (message) => {
    if (message.done === undefined) found.push(message);
    else {
      ({ done } = message);
      // A target may have left a service running.
      void worker.terminate();
    }
  });
  worker.on('error', (error) => {
    found.push({ index: number[0], input: '', problem: `the thread ended: ${error.message}` });
    done ??= 0;
  });
  const ended = once(worker, 'exit');
  let last = -1;
  let since = 0;
  const watch = setInterval(() => {
    const now = Atomics.load(number, 0);
    if (now !== last) [last, since] = [now, Date.now()];
    // The worker is still loading.
    else if (now !== -1 && Date.now() - since > HANG_MS) void worker.terminate();
  }, 500);
  await ended;
  clearInterval(watch);
  return done === undefined ? { inputs: last - from, hungAt: last } : { inputs: done };
}
