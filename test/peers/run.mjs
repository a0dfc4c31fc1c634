/**
 * Installs and uses the packed tracer with every pair of `@langchain/core` 0.3 and 1, `ai` 4 to 7 and `zod` 3 and 4, by npm and
 * pnpm. No version of an optional peer may break an install. With the oldest and the newest, as ES modules and as CommonJS, also
 * records provider models and replays them while their server is down.
 *
 * Run `npm run test:peers`. Needs the npm registry.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../../scripts/build.mjs';
import { installPackages } from '../../scripts/npm.mjs';
import { pack } from '../../scripts/pack.mjs';
import { capture, runMain } from '../../scripts/progress.mjs';
import { ROOT } from '../../scripts/workspace.mjs';

/** Oldest and newest packages for the replay of models. */
const MODELS = [
  {
    ai: '^4',
    '@ai-sdk/openai': '^1',
    '@langchain/core': '^0.3',
    '@langchain/openai': '^0.6',
    openai: '^5',
    zod: '^3',
  },
  {
    ai: '^7',
    '@ai-sdk/openai': '^4',
    '@langchain/core': '^1',
    '@langchain/openai': '^1',
    '@openai/agents': '0.20.0',
    openai: '^6',
    zod: '^4',
  },
];
const PNPM = 'pnpm@10.34.8';
const windows = process.platform === 'win32';
const npm = windows ? 'npm.cmd' : 'npm';

const COMBINATIONS = ['0.3', '1'].flatMap((langchain) =>
  ['4', '5', '6', '7'].flatMap((ai) =>
    ['3', '4'].map((zod) => ({ '@langchain/core': `^${langchain}`, ai: `^${ai}`, zod: `^${zod}` })),
  ),
);

/** Imports every adapter and records a call. */
const USE = `
  const { Tracer } = require('@dacapo/tracer');
  const { createTestTracer } = require('@dacapo/tracer/testing');
  const { tracer, spans } = createTestTracer();
  tracer.getAiSdkTelemetry();
  tracer.getLangChainHandler();
  tracer.getAgentsTracingProcessor();
  tracer.wrapFramework({}, () => 1)();
  tracer.withSpan('k', () => 1)();
  if (spans.length !== 1 || typeof Tracer !== 'function') process.exit(1);
`;

/** By default pnpm looks up dependencies between the tarballs in the registry. */
const manifest = ({ '@dacapo/tracer': tracer, ...overrides }, peers) => ({
  name: 'application',
  private: true,
  dependencies: { ...peers, '@dacapo/tracer': tracer },
  overrides,
  pnpm: { overrides },
});

const FAILS = 'FAILS';

/** Finds out whether an install fails because of the tracer, or because the packages are incompatible without it. */
async function whyNot(peers, { cwd, program, args }) {
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ private: true, dependencies: peers }));
  const { code } = await capture(program, args, { cwd, shell: windows && program === npm });
  return code === 0 ? FAILS : 'incompatible even without the tracer';
}

async function installPnpm(work) {
  const folder = join(work, 'pnpm');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }));
  await installPackages('Installing pnpm', ['install', PNPM], { cwd: folder });
  return join(folder, 'node_modules/pnpm/bin/pnpm.cjs');
}

async function replayModels(work, tarballs) {
  const { startCollector } = await import('@dacapo/collector');
  const collector = await startCollector({ port: 0, dataDir: join(work, 'data') });
  try {
    const results = [];
    for (const [index, peers] of MODELS.entries()) {
      const cwd = join(work, `models-${index}`);
      mkdirSync(cwd);
      writeFileSync(join(cwd, 'package.json'), JSON.stringify(manifest(tarballs, peers), null, 2));
      await installPackages(`Installing ${JSON.stringify(peers)}`, ['install'], { cwd });
      copyFileSync(join(ROOT, 'test/peers/replay-models.mjs'), join(cwd, 'replay-models.mjs'));
      for (const kind of ['esm', 'cjs']) {
        const command = ['replay-models.mjs', kind, collector.url, collector.apiKey];
        const { code, output } = await capture(process.execPath, command, { cwd });
        results.push({ ...peers, modules: kind, result: code === 0 ? 'replayed' : FAILS });
        if (code !== 0) process.stdout.write(`${output}\n`);
      }
    }
    return results;
  } finally {
    await collector.close();
  }
}

await runMain(async () => {
  const work = mkdtempSync(join(tmpdir(), 'dacapo-peers-'));
  const [results, models] = [[], []];
  try {
    await build(['tracer', 'collector']);
    const tarballs = await pack(['tracer'], join(work, 'tarballs'));
    models.push(...(await replayModels(work, tarballs)));
    const pnpm = await installPnpm(work);
    for (const [index, peers] of COMBINATIONS.entries()) {
      for (const [manager, program, args] of [
        ['npm', npm, ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']],
        ['pnpm', process.execPath, [pnpm, 'install', '--ignore-scripts', '--reporter=append-only']],
      ]) {
        const cwd = join(work, `${manager}-${index}`);
        mkdirSync(cwd);
        writeFileSync(join(cwd, 'package.json'), JSON.stringify(manifest(tarballs, peers), null, 2));
        const installed = await capture(program, args, { cwd, shell: windows && program === npm });
        const used =
          installed.code === 0 ? await capture(process.execPath, ['--eval', USE], { cwd }) : undefined;
        const result = used?.code === 0 ? 'works' : await whyNot(peers, { cwd, program, args });
        results.push({ ...peers, manager, result });
        process.stdout.write(
          `${result === FAILS ? '✗' : '✓'} ${manager} ${JSON.stringify(peers)}: ${result}\n`,
        );
        if (result === FAILS) process.stdout.write(`${(used ?? installed).output.replace(/^/gm, '    ')}\n`);
        rmSync(join(cwd, 'node_modules'), { recursive: true, force: true });
      }
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  console.table(models);
  console.table(results);
  process.exitCode = [...models, ...results].some(({ result }) => result === FAILS) ? 1 : 0;
});
