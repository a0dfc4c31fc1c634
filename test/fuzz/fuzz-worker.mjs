import { parentPort, workerData } from 'node:worker_threads';
import { Random } from './random.mjs';
import { TARGETS } from './targets.mjs';

const { seed, target, from, progress, forMs } = workerData;
const { make, judge, prepare } = TARGETS[target];

/** Progress of this thread, shared with the main thread. */
const number = new Int32Array(progress);
// The time limit of an input does not include the start of a service.
await prepare?.();
const untilMs = Date.now() + forMs;
let index = from;
for (; Date.now() < untilMs; index++) {
  Atomics.store(number, 0, index);
  const input = make(new Random(seed, target, index));
  try {
    await judge(input);
  } catch (error) {
    parentPort.postMessage({ index, input, problem: error?.stack ?? String(error) });
  }
}
parentPort.postMessage({ done: index - from });
