/** Only uses the CPU of this many cores. */
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const SLICE_MS = 10;

function burn(share) {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    const until = performance.now() + SLICE_MS * share;
    while (performance.now() < until);
    if (share < 1) Atomics.wait(pause, 0, 0, SLICE_MS * (1 - share));
  }
}

if (!isMainThread) burn(workerData);
let left = Number(process.argv[2]);
for (; left > 0.01; left -= 1) new Worker(new URL(import.meta.url), { workerData: Math.min(1, left) });
process.send('ready');
process.once('message', () => {
  const { user, system } = process.cpuUsage();
  process.send({ cpuSeconds: (user + system) / 1e6 }, () => process.exit());
});
