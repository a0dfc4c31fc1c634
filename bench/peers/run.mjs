/**
 * `npm run bench:peers [-- --quick] [-- --clients] [-- --json] [-- --write-docs]`: compares Dacapo with other SDKs, all with default settings.
 * With `--clients`, only wrappers of OpenAI's client.
 *
 * Figures depend on the machine; the ratios within one run are stable.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages } from '../../scripts/npm.mjs';
import { runMain } from '../../scripts/progress.mjs';
import { measureClients } from './client.mjs';
import { conditions } from './conditions.mjs';
import { measureCpu } from './cpu.mjs';
import { measureDelivery } from './delivery.mjs';
import { measureMemory } from './memory.mjs';
import { formatClients, toMarkdown } from './report/markdown.mjs';
import { writeDocs } from './report/write-docs.mjs';

const flag = (name) => process.argv.includes(`--${name}`);
const progress = (stage) => console.error(`· ${stage}`);
const rounds = flag('quick') ? 1 : 3;
const memorySpans = flag('quick') ? 20_000 : 50_000;

const here = import.meta.dirname;
if (!existsSync(join(here, 'node_modules')))
  await runMain(() => installPackages('Installing the SDKs', ['ci'], { cwd: here }));
if (flag('clients')) {
  const clients = await measureClients(rounds, progress);
  console.log(flag('json') ? JSON.stringify(clients, null, 2) : formatClients(clients).join('\n\n'));
  process.exit();
}
const result = {
  ...conditions(),
  rounds,
  cpu: await measureCpu(rounds, progress),
  clients: await measureClients(rounds, progress),
  memorySpans,
  memory: await measureMemory(memorySpans, progress),
  delivery: await measureDelivery(progress),
};

console.log(flag('json') ? JSON.stringify(result, null, 2) : toMarkdown(result));
if (flag('write-docs')) await writeDocs(toMarkdown(result));
