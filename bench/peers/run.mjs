/**
 * `npm run bench:peers [-- --quick] [-- --json] [-- --write-docs]`: compares Dacapo with other SDKs, all with default settings.
 *
 * Figures depend on the machine; the ratios within one run are stable.
 */
import { conditions } from './conditions.mjs';
import { measureCpu } from './cpu.mjs';
import { measureDelivery } from './delivery.mjs';
import { installPeers } from './install.mjs';
import { measureMemory } from './memory.mjs';
import { markdownOf } from './report/markdown.mjs';
import { writeDocs } from './report/write-docs.mjs';

const flag = (name) => process.argv.includes(`--${name}`);
const progress = (stage) => console.error(`· ${stage}`);
const rounds = flag('quick') ? 1 : 3;
const memorySpans = flag('quick') ? 20_000 : 50_000;

installPeers();
const result = {
  ...conditions(),
  rounds,
  cpu: await measureCpu(rounds, progress),
  memorySpans,
  memory: await measureMemory(memorySpans, progress),
  delivery: await measureDelivery(progress),
};

console.log(flag('json') ? JSON.stringify(result, null, 2) : markdownOf(result));
if (flag('write-docs')) await writeDocs(markdownOf(result));
