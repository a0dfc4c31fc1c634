/** Event-loop delay at 1,000 spans/s of B: `node event-loop-child.mjs <arm> <seconds> <url>`. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { WORKLOADS } from './workloads.mjs';

const [armName, seconds, url] = process.argv.slice(2);
const { createArm } = await import(`./arms/${armName}.mjs`);
const arm = createArm(url);
const call = WORKLOADS.B.build(arm.trace);

async function load(forMs) {
  const start = performance.now();
  let done = 0;
  while (performance.now() - start < forMs) {
    const due = performance.now() - start;
    while (done < due) await call(done++);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

await load(2000);
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
await load(Number(seconds) * 1000);
delay.disable();
await arm.finish();
process.send({ p99Ms: delay.percentile(99) / 1e6, longestMs: delay.max / 1e6 }, () => process.exit(0));
