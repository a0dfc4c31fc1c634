/**
 * Runs cassettes in Jest 29 and 30, Vitest 3, 4 and 5, and `node:test`, as ES modules and as CommonJS, on the packed packages. Records,
 * replays without a key, renews, and checks the messages of failing tests. Vitest 5 runs on Node 22.
 *
 * Run `npm run test:runners`. Needs the npm registry.
 */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../../scripts/build.mjs';
import { installPackages } from '../../scripts/npm.mjs';
import { pack } from '../../scripts/pack.mjs';
import { capture, runMain } from '../../scripts/progress.mjs';
import { ROOT } from '../../scripts/workspace.mjs';
import { toFailingTest, toTest } from './app/cases.mjs';

const windows = process.platform === 'win32';
const NODE_PACKAGE = `node-${windows ? 'win' : process.platform}-${process.arch}`;
const NODE_BINARY = join('node_modules', NODE_PACKAGE, 'bin', windows ? 'node.exe' : 'node');

const VITEST = {
  run: ['node_modules/vitest/vitest.mjs', 'run', '--root', '.'],
  runner: 'vitest',
  kinds: ['esm'],
};
const JEST = {
  run: ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js'],
  runner: 'jest',
  kinds: ['esm', 'cjs'],
};
const RUNNERS = [
  { ...JEST, name: 'jest 29', packages: { jest: '29.7.0' } },
  { ...JEST, name: 'jest 30', packages: { jest: '30.5.2' } },
  { ...VITEST, name: 'vitest 3', packages: { vitest: '^3' } },
  { ...VITEST, name: 'vitest 4', packages: { vitest: '^4' } },
  // It needs Node 22.
  { ...VITEST, name: 'vitest 5', packages: { vitest: '^5', [NODE_PACKAGE]: '22' }, node: NODE_BINARY },
  { name: 'node:test', packages: {}, run: ['--test'], runner: 'node', kinds: ['esm', 'cjs'] },
];

/** What each failing test must print, in every runner. */
const MESSAGES = [
  'desk.answer > mail.send: its arguments differ from the recorded ones at $[0].sentAt.',
  'add normalize: { "mail.send": ["$[0].sentAt"] }',
  'desk.answer: its outcome differs from the recording.',
  '$.text (value): recorded ',
  'damaged.ndjson is not a cassette',
];

const WORKERS = 8;

function writeTests(folder, { runner, kinds }, toSource, name) {
  for (const kind of kinds) {
    const extension = kind === 'esm' ? 'mjs' : 'cjs';
    writeFileSync(join(folder, `${name}-${kind}.test.${extension}`), toSource(runner, kind));
  }
}

const readAll = (folder) =>
  readdirSync(folder)
    .sort()
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')]);

async function tryRunner(work, tarballs, one) {
  const cwd = join(work, one.name.replace(/\W/g, '-'));
  mkdirSync(cwd, { recursive: true });
  const manifest = {
    private: true,
    dependencies: { ...one.packages, '@dacapo/testing': tarballs['@dacapo/testing'] },
    overrides: Object.fromEntries(Object.entries(tarballs).filter(([name]) => name !== '@dacapo/testing')),
    jest: {
      // Jest runs the CommonJS files that an ES module imports before its first import.
      setupFiles: ['@dacapo/testing'],
      testMatch: ['**/*.test.[cm]js'],
      transform: {},
      moduleFileExtensions: ['js', 'mjs', 'cjs', 'json'],
    },
  };
  manifest.dependencies['@dacapo/tracer'] = tarballs['@dacapo/tracer'];
  writeFileSync(join(cwd, 'package.json'), JSON.stringify(manifest));
  await installPackages(`Installing ${one.name}`, ['install'], { cwd });
  copyFileSync(join(ROOT, 'test/runners/app/desk.cjs'), join(cwd, 'desk.cjs'));
  const run = (env = {}) =>
    capture(one.node === undefined ? process.execPath : join(cwd, one.node), one.run, {
      cwd,
      env: { ...process.env, CI: '', TRACER_API_KEY: '', NODE_OPTIONS: '', DACAPO_CASSETTES: '', ...env },
    });
  const problems = [];
  const expectCode = async (what, expected, env) => {
    const { code, output } = await run(env);
    if ((code === 0) !== expected) problems.push(`${what}: exit code ${code}\n${output}`);
    return output;
  };
  const cassettes = join(cwd, 'test/cassettes');
  writeTests(cwd, one, toTest, 'desk');
  await expectCode('replay without a cassette must fail', false);
  await expectCode('recording in CI must fail', false, { CI: 'true', DACAPO_CASSETTES: 'record' });
  await expectCode('record', true, { DACAPO_CASSETTES: 'record' });
  const recorded = readAll(cassettes);
  await expectCode('replay in CI', true, { CI: 'true' });
  // A key must not make a test send anything: nothing listens there.
  await expectCode('replay with a key', true, {
    TRACER_API_KEY: 'key',
    TRACER_SERVICE_URL: 'http://127.0.0.1:9',
  });
  await expectCode('renew', true, { DACAPO_CASSETTES: 'renew' });
  if (JSON.stringify(readAll(cassettes)) !== JSON.stringify(recorded))
    problems.push('renewing changed the files');
  for (let worker = 0; worker < WORKERS; worker++) writeTests(cwd, one, toTest, `worker${worker}`);
  await expectCode(`${WORKERS} files that replay one cassette`, true);
  await expectCode(`${WORKERS} files that renew one cassette`, true, { DACAPO_CASSETTES: 'renew' });
  if (JSON.stringify(readAll(cassettes)) !== JSON.stringify(recorded))
    problems.push('parallel renewing changed the files');
  for (const name of readdirSync(cwd)) if (/\.test\./.test(name)) rmSync(join(cwd, name));
  writeFileSync(join(cassettes, 'damaged.ndjson'), '{"log":{}}\n');
  writeTests(cwd, one, toFailingTest, 'failing');
  const output = await expectCode('failing tests', false);
  for (const message of MESSAGES)
    if (!output.includes(message)) problems.push(`does not print ${JSON.stringify(message)}:\n${output}`);
  return { problems, output };
}

await runMain(async () => {
  const work = mkdtempSync(join(tmpdir(), 'dacapo-runners-'));
  try {
    await build(['testing']);
    const tarballs = await pack(['testing'], join(work, 'tarballs'));
    const [, , word = ''] = process.argv.filter((one) => one !== '--show');
    for (const one of RUNNERS.filter(({ name }) => name.includes(word))) {
      const { problems, output } = await tryRunner(work, tarballs, one);
      process.stdout.write(`${problems.length === 0 ? '✓' : '✗'} ${one.name}\n`);
      if (process.argv.includes('--show')) process.stdout.write(`${output}\n`);
      for (const problem of problems) process.stdout.write(`${problem}\n`);
      if (problems.length > 0) process.exitCode = 1;
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
});
