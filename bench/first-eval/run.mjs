/**
 * `npm run bench:first-eval`: time from an empty folder to a table of input, output and score with Dacapo, promptfoo and evalite.
 * Each one has its own folder and evaluates the same function over the same two items. The install is timed once, without install
 * scripts, and depends on the network and npm's cache. The command that prints the table is timed in five rounds,
 * one tool after the other in each. Needs the npm registry.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { pack } from '../../scripts/pack.mjs';
import { capture, runMain } from '../../scripts/progress.mjs';

const ROUNDS = 5;
const ITEMS = `[
  { input: 'I was charged twice.', expected: 'billing' },
  { input: 'Where is my parcel?', expected: 'other' },
]`;
const CLASSIFY = `(/invoice|charged|refund/.test(message) ? 'billing' : 'other')`;
const ours = (type) => `import { exact } from '@dacapo/evaluation';
import { defineEval } from '@dacapo/tracer';
export default defineEval({
  data: ${ITEMS},
  function: async (message${type}) => ${CLASSIFY},
  evaluators: [exact()],
});`;

const TOOLS = [
  {
    name: 'Dacapo, JavaScript',
    packages: (tarballs) => tarballs,
    files: { 'support.eval.mjs': ours('') },
    command: ['dacapo', 'eval', 'support.eval.mjs'],
  },
  {
    name: 'Dacapo, TypeScript',
    packages: (tarballs) => [...tarballs, 'tsx@4.23.15'],
    files: { 'support.eval.ts': ours(': string') },
    command: ['dacapo', 'eval', 'support.eval.ts'],
  },
  {
    name: 'promptfoo 0.121.20',
    packages: () => ['promptfoo@0.121.20'],
    files: {
      'promptfooconfig.yaml': `prompts: ['{{message}}']
providers: ['file://classify.mjs']
tests:
  - vars: { message: 'I was charged twice.' }
    assert: [{ type: equals, value: billing }]
  - vars: { message: 'Where is my parcel?' }
    assert: [{ type: equals, value: other }]
`,
      'classify.mjs': `export default class {
  id() { return 'classify'; }
  async callApi(message) { return { output: ${CLASSIFY} }; }
}`,
    },
    command: ['promptfoo', 'eval', '--no-cache'],
  },
  {
    // The default storage needs an install script, so runs stay in memory.
    name: 'evalite 0.19.0',
    packages: () => ['evalite@0.19.0', 'vitest@4.1.12'],
    files: {
      'evalite.config.ts': `import { defineConfig } from 'evalite/config';
import { createInMemoryStorage } from 'evalite/in-memory-storage';
export default defineConfig({ storage: () => createInMemoryStorage() });`,
      'support.eval.ts': `import { evalite } from 'evalite';
evalite('support', {
  data: ${ITEMS},
  task: async (message: string) => ${CLASSIFY},
  scorers: [{ name: 'exact', scorer: ({ output, expected }) => (output === expected ? 1 : 0) }],
});`,
    },
    command: ['evalite', 'run'],
  },
];

async function timed(program, args, options) {
  const startedMs = performance.now();
  const { code, output } = await capture(program, args, options);
  if (code !== 0 || (program === 'npx' && !output.includes('billing'))) throw new Error(output);
  return (performance.now() - startedMs) / 1000;
}

/** A folder with the packages and the files of a tool. */
async function install(work, tarballs, { packages, files }, index) {
  const options = ['--save-dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  const cwd = join(work, String(index));
  mkdirSync(cwd);
  const installS = await timed('npm', ['install', ...options, ...packages(tarballs)], { cwd });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(cwd, file), text);
  return { cwd, installS };
}

function printTable({ cwd, command }) {
  const env = {
    ...process.env,
    PROMPTFOO_DISABLE_TELEMETRY: '1',
    PROMPTFOO_DISABLE_UPDATE: '1',
    PROMPTFOO_CONFIG_DIR: join(cwd, 'home'),
  };
  return timed('npx', command, { cwd, env });
}

async function summarize({ name, cwd, installS, tables }) {
  const { output } = await capture('du', ['-sm', 'node_modules'], { cwd });
  const [mebibytes] = output.split(/\s/);
  return {
    name,
    'install, s': installS.toFixed(1),
    'first table, s': tables[0].toFixed(2),
    'median, s': tables.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)].toFixed(2),
    'node_modules, MiB': mebibytes,
  };
}

await runMain(async () => {
  const work = mkdtempSync(join(tmpdir(), 'dacapo-first-eval-'));
  try {
    const tarballs = Object.values(await pack(['cli'], work));
    const tools = [];
    for (const [index, tool] of TOOLS.entries())
      tools.push({ ...tool, ...(await install(work, tarballs, tool, index)), tables: [] });
    // One tool after the other in each round, so that a busy minute slows all of them.
    for (let round = 0; round < ROUNDS; round += 1)
      for (const tool of tools) tool.tables.push(await printTable(tool));
    const results = await Promise.all(tools.map(summarize));
    console.log(`Node ${process.versions.node}, ${cpus().length} CPUs of ${cpus()[0]?.model}`);
    console.table(results);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
});
