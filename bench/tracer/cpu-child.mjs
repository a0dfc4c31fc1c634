/** CPU of one arm on one workload until everything is delivered: `node cpu-child.mjs <arm> <workload> <spans> <url>`. */
import { WORKLOADS } from './workloads.mjs';

const [armName, workloadName, spanCount, url] = process.argv.slice(2);
const { createArm } = await import(`./arms/${armName}.mjs`);
const { spansATurn, build } = WORKLOADS[workloadName];

async function run(arm, turns) {
  const call = build(arm.trace);
  let pending = [];
  for (let turn = 0; turn < turns; turn++) {
    pending.push(call(turn));
    if (pending.length === 100) {
      await Promise.all(pending);
      pending = [];
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  await Promise.all(pending);
  await arm.finish();
}

const turns = Math.ceil(Number(spanCount) / spansATurn);
const arm = createArm(url);
await run(arm, Math.ceil(turns / 4));
const before = process.cpuUsage();
await run(arm, turns);
const { user, system } = process.cpuUsage(before);
process.send({ cpuUsASpan: (user + system) / (turns * spansATurn) }, () => process.exit(0));
