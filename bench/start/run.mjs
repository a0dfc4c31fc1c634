/**
 * `npm run bench:start [-- <folder>]`: additional CPU and memory of a process that loads `@dacapo/tracer`, compared with one that
 * loads nothing. With a folder in which other versions are installed, also measures those in the same interleaved rounds, and the
 * ratio.
 */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ROOT } from '../../scripts/workspace.mjs';
import { median } from '../tracer/children.mjs';

const ROUNDS = 31;

const REPORT = `
  const { user, system } = process.cpuUsage();
  process.stdout.write(JSON.stringify({ cpuMs: (user + system) / 1000, rssMb: process.memoryUsage.rss() / 2 ** 20 }));
`;
const LOADS = {
  import: ['mjs', `import { Tracer } from '@dacapo/tracer'; if (!Tracer) throw 0;`],
  'import, first tracer': [
    'mjs',
    `import { Tracer } from '@dacapo/tracer'; new Tracer({ apiKey: 'k' }).withSpan('k', () => 1)();`,
  ],
  require: ['cjs', `const { Tracer } = require('@dacapo/tracer'); if (!Tracer) throw 0;`],
};

const other = process.argv[2];
const installs = { after: ROOT, ...(other !== undefined && { before: resolve(other) }) };
console.table(
  Object.entries(LOADS).map(([load, [extension, code]]) => ({ load, ...measure(extension, code) })),
);

function measure(extension, code) {
  const added = Object.fromEntries(Object.keys(installs).map((name) => [name, { cpuMs: [], rssMb: [] }]));
  for (let round = 0; round < ROUNDS; round++) {
    const idle = run(ROOT, extension, '');
    for (const [name, install] of Object.entries(installs)) {
      const loaded = run(install, extension, code);
      for (const figure of ['cpuMs', 'rssMb']) added[name][figure].push(loaded[figure] - idle[figure]);
    }
  }
  return Object.fromEntries(
    ['cpuMs', 'rssMb'].flatMap((figure) => {
      const figures = Object.entries(added).map(([name, all]) => [name, median(all[figure])]);
      const { after, before } = Object.fromEntries(figures);
      return [
        ...figures.map(([name, value]) => [`${figure} ${name}`, Number(value.toFixed(1))]),
        ...(before === undefined ? [] : [[`${figure} ratio`, Number((after / before).toFixed(2))]]),
      ];
    }),
  );
}

/** Runs the script in the folder of the install, so that Node finds its packages. */
function run(install, extension, code) {
  const path = join(install, `.dacapo-start-${process.pid}.${extension}`);
  writeFileSync(path, `${code}\n${REPORT}`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [path], { encoding: 'utf8' });
  rmSync(path);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
