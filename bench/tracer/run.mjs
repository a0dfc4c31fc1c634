/**
 * `npm run bench:tracer [-- --quick] [-- --json]`: cost of the tracer, compared with two baselines without an SDK.
 *
 * Figures depend on the machine; the ratios within one run are stable.
 */
import { cpus } from 'node:os';
import { withPrivateHome } from '../private-home.mjs';
import { measureClient } from './client.mjs';
import { measureCpu } from './cpu.mjs';
import { measureEventLoop } from './event-loop.mjs';
import { measureFootprint } from './footprint.mjs';
import { measureMemory } from './memory.mjs';

const quick = process.argv.includes('--quick');
const asJson = process.argv.includes('--json');
const progress = (stage) => console.error(`· ${stage}`);

const measure = async () => ({
  machine: `${cpus().length} × ${cpus()[0].model}, Node ${process.version}`,
  cpu: await measureCpu(quick ? 1 : 9, progress),
  client: await measureClient(quick ? 1 : 5, progress),
  eventLoop: await measureEventLoop(quick ? 1 : 5, quick ? 5 : 15, progress),
  memory: await measureMemory(progress),
  footprint: await measureFootprint(progress),
});
const result = await withPrivateHome((env) => {
  Object.assign(process.env, env);
  return measure();
});

if (asJson) console.log(JSON.stringify(result, null, 2));
else {
  console.log(`\n${result.machine}`);
  console.log('\nCPU µs per span until delivered');
  console.table(result.cpu);
  console.log('CPU µs per request of the OpenAI client until delivered');
  console.table(result.client);
  console.log('Event loop at 1,000 spans/s of B');
  console.table(result.eventLoop);
  console.log('200,000 spans of A with a service that never responds');
  console.table(result.memory);
  console.log('Footprint');
  console.table([result.footprint]);
}
