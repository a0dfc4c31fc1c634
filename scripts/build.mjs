import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installWhatIsMissing } from './install.mjs';
import { runMain, runStage, stage } from './progress.mjs';
import {
  listEntries,
  hashFiles,
  libraries,
  MODULE_KINDS,
  readJson,
  ROOT,
  withDependencies,
} from './workspace.mjs';

const STAMPS = join(ROOT, '.cache/build.json');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const CONFIGS = [
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'scripts/build.mjs',
  'scripts/build',
].map((path) => join(ROOT, path));

/**
 * Builds changed packages: the libraries, the dashboard (into the collector, which serves it) and the sample app.
 *
 * @param names package folders to build, such as `tracer` or `sample-app`, with the libraries that they depend on; all if empty
 */
export async function build(names = []) {
  const all = libraries();
  const known = [...all.map(({ name }) => name), 'dashboard', 'sample-app'];
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    process.stderr.write(`Unknown package ${unknown.join(', ')}. Expected: ${known.join(', ')}.\n`);
    process.exit(1);
  }

  const chosen = (name) => names.length === 0 || names.includes(name);
  await buildLibraries(withDependencies(all.map(({ name }) => name).filter(chosen)), names.length === 0);
  if (chosen('dashboard')) await buildDashboard();
  if (chosen('sample-app')) await buildSampleApp();
}

async function buildLibraries(chosen, isAll) {
  if (chosen.length === 0) return;
  const inputs = libraries().flatMap(({ dir }) => listInputs(dir));
  const outputs = chosen.flatMap((library) =>
    listEntries(library).flatMap((entry) =>
      MODULE_KINDS.map((kind) => join(library.dir, 'dist', kind, `${entry}.js`)),
    ),
  );
  await whenChanged(isAll ? 'libraries' : undefined, inputs, outputs, async () => {
    const { bundle } = await import('./build/bundle.mjs');
    for (const library of chosen) markModuleKinds(library);
    const projects = chosen.map(({ dir }) => join(dir, 'tsconfig.build.json'));
    const title = `Building ${joinNames(chosen)}`;
    const cure = 'Fix the type errors above, then run the command again.';
    await runStage(title, process.execPath, [TSC, '-b', ...projects], { cwd: ROOT, cure });
    await stage('Bundling', joinNames(chosen), () => Promise.all(chosen.map(bundle)));
    for (const { dir, manifest } of chosen) {
      for (const file of Object.values(manifest.bin ?? {})) chmodSync(join(dir, file), 0o755);
    }
  });
}

function joinNames(list) {
  return list.map(({ name }) => name).join(', ');
}

async function buildDashboard() {
  const dir = join(ROOT, 'libs/dashboard');
  if (!existsSync(join(dir, 'vite.config.ts'))) {
    process.stderr.write('- Skipped the dashboard: it has no vite.config.ts\n');
    return;
  }
  const inputs = [
    dir,
    ...['protocol', 'client', 'evaluation'].flatMap((name) => listInputs(join(ROOT, 'libs', name))),
  ];
  await whenChanged('dashboard', inputs, [join(ROOT, 'libs/collector/dist/dashboard/index.html')], () =>
    runStage(
      'Building the dashboard',
      process.execPath,
      [join(ROOT, 'node_modules/vite/bin/vite.js'), 'build'],
      {
        cwd: dir,
        // Another value would bundle React's development build.
        env: { ...process.env, NODE_ENV: 'production' },
        cure: 'Fix the errors of Vite above, then run the command again.',
      },
    ),
  );
}

async function buildSampleApp() {
  const dir = join(ROOT, 'sample-app');
  if (!existsSync(join(dir, 'src/main.ts'))) return;
  const inputs = [...listInputs(dir), ...libraries().flatMap((library) => listInputs(library.dir))];
  await whenChanged('sample-app', inputs, [join(dir, 'dist/main.js')], () =>
    runStage('Building the sample app', process.execPath, [TSC, '-p', join(dir, 'tsconfig.app.json')], {
      cwd: ROOT,
      cure: 'Fix the type errors above, then run the command again.',
    }),
  );
}

/** Files that a package's output depends on. */
function listInputs(dir) {
  const configs = readdirSync(dir).filter(
    (name) => name === 'package.json' || /^tsconfig.*\.json$/.test(name),
  );
  return [join(dir, 'src'), ...configs.map((name) => join(dir, name))];
}

/** Does the work unless the outputs exist and were built from the same inputs. Without a key, always does it. */
async function whenChanged(key, inputs, outputs, work) {
  const hash = hashFiles([...CONFIGS, ...inputs]);
  const stamps = () => (existsSync(STAMPS) ? readJson(STAMPS) : {});
  if (key !== undefined && stamps()[key] === hash && outputs.every((path) => existsSync(path))) return;
  await work();
  if (key === undefined) return;
  mkdirSync(join(STAMPS, '..'), { recursive: true });
  writeFileSync(STAMPS, JSON.stringify({ ...stamps(), [key]: hash }));
}

/** Node and bundlers read the module kind from the nearest package.json. */
function markModuleKinds({ dir, manifest }) {
  for (const [kind, type] of [
    ['esm', 'module'],
    ['cjs', 'commonjs'],
  ]) {
    mkdirSync(join(dir, 'dist', kind), { recursive: true });
    const marker = { type, ...('sideEffects' in manifest && { sideEffects: manifest.sideEffects }) };
    writeFileSync(join(dir, 'dist', kind, 'package.json'), `${JSON.stringify(marker)}\n`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await runMain(async () => {
    await installWhatIsMissing();
    await build(process.argv.slice(2));
    process.stdout.write('Build complete.\n');
  });
}
