/** Memory growth with 200,000 spans of A and a service that never responds: `node memory-child.mjs <arm> <spans> <url>`. */
import { WORKLOADS } from './workloads.mjs';

const [armName, spanCount, url] = process.argv.slice(2);
const { createArm } = await import(`./arms/${armName}.mjs`);
const arm = createArm(url);
const call = WORKLOADS.A.build(arm.trace);

for (let i = 0; i < 500; i++) await call(i);
global.gc?.();
const before = process.memoryUsage.rss();
let peak = before;
for (let i = 0; i < Number(spanCount); i += 100) {
  await Promise.all(Array.from({ length: 100 }, (_, j) => call(i + j)));
  await new Promise((resolve) => setImmediate(resolve));
  peak = Math.max(peak, process.memoryUsage.rss());
}
const stats = arm.stats?.();
process.send({ growthMiB: (peak - before) / 1024 / 1024, stats }, () => process.kill(process.pid, 'SIGKILL'));
