/**
 * Installs the packed packages into an application, bundles it with esbuild, Rollup, webpack and Turbopack (ES modules and CommonJS,
 * minified or not) and runs each bundle with a collector and a model server. The application nests and fails calls, wraps a client
 * and evaluates.
 *
 * Run `npm run test:bundlers`, or filter by name: `npm run test:bundlers -- "webpack esm"`. Needs the npm registry.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { build } from '../../scripts/build.mjs';
import { installPackages } from '../../scripts/npm.mjs';
import { pack } from '../../scripts/pack.mjs';
import { capture, runMain } from '../../scripts/progress.mjs';
import { ROOT } from '../../scripts/workspace.mjs';
import { loadBundlers } from './bundles.mjs';
import { runWithTurbopack } from './turbopack.mjs';

const HERE = join(ROOT, 'test/bundlers');

/** `source` is the module system of the application, `format` that of the bundle. */
const BUNDLES = ['esbuild', 'rollup', 'webpack'].flatMap((bundler) =>
  [
    ['esm', 'esm'],
    ['esm', 'cjs'],
    ['cjs', 'cjs'],
  ].flatMap(([source, format]) => [false, true].map((minify) => ({ bundler, source, format, minify }))),
);
const CASES = [
  ...BUNDLES,
  ...['esm', 'cjs'].flatMap((source) =>
    [false, true].map((minify) => ({ bundler: 'turbopack', source, format: source, minify })),
  ),
].map((parts) => ({ ...parts, name: bundleName(parts) }));

const ANSWER = { answer: 'Fine.', isRecognized: true, scores: [{ name: 'shape', score: true }] };

/** Spans as `[key, status, key of the parent]`, sorted. */
const SPANS = [
  ['ask', 'ok', 'outer'],
  ['fail', 'error', 'outer'],
  ['openai.chat.completions.create', 'ok', 'ask'],
  ['outer', 'ok', null],
];

function bundleName({ bundler, source, format, minify }) {
  return `${bundler} ${format}${source === format ? '' : ` from ${source}`}${minify ? ' minified' : ''}`;
}

await runMain(async () => {
  const chosen = CASES.filter(({ name }) => name.includes(process.argv[2] ?? ''));
  const folder = mkdtempSync(join(tmpdir(), 'dacapo-bundlers-'));
  const models = await startModels();
  let failed = 0;
  try {
    await build(['tracer', 'collector']);
    await install(folder);
    const bundlers = await loadBundlers(folder);
    for (const one of chosen) {
      const problem = await findProblem(one, { folder, bundlers, models });
      process.stdout.write(`${problem === undefined ? '✓' : '✗'} ${one.name}\n`);
      if (problem !== undefined) process.stdout.write(`${problem.replace(/^/gm, '    ')}\n`);
      if (problem !== undefined) failed++;
    }
  } finally {
    models.close();
    rmSync(folder, { recursive: true, force: true });
  }
  process.stdout.write(failed === 0 ? `\nAll ${chosen.length} bundles work.\n` : `\n${failed} failed.\n`);
  process.exitCode = failed === 0 && chosen.length > 0 ? 0 : 1;
});

async function install(folder) {
  for (const file of ['package.json', 'package-lock.json']) cpSync(join(HERE, file), join(folder, file));
  await installPackages('Installing the bundlers', ['ci'], { cwd: folder });
  const tarballs = Object.values(await pack(['tracer'], join(folder, 'packed')));
  await installPackages('Installing the packages', ['install', '--no-save', ...tarballs], { cwd: folder });
  for (const [name, text] of Object.entries(sources())) writeFileSync(join(folder, name), text);
}

/** The application in both module systems. */
function sources() {
  const read = (name) => readFileSync(join(HERE, 'app', name), 'utf8');
  const work = read('work.mjs');
  return {
    'app.mjs': read('app.mjs'),
    'app.cjs': read('app.cjs'),
    'work.mjs': work,
    'work.cjs': work.replace('export async function work', 'exports.work = async function work'),
  };
}

/** Returns `undefined` if the bundle worked and all spans arrived. */
async function findProblem(one, { folder, bundlers, models }) {
  const { startCollector } = await import('@dacapo/collector');
  const silentLogger = { info() {}, warn() {}, error() {} };
  const collector = await startCollector({ port: 0, storage: 'memory', logger: silentLogger });
  const env = {
    TRACER_SERVICE_URL: collector.url,
    TRACER_API_KEY: collector.apiKey,
    MODEL_URL: models.url,
  };
  try {
    const answer = await run(one, { folder, bundlers, env });
    if (!isDeepStrictEqual(answer, ANSWER)) return `The application printed ${JSON.stringify(answer)}`;
    const spans = await storedSpans(collector);
    if (!isDeepStrictEqual(spans, SPANS)) return `The collector has ${JSON.stringify(spans)}`;
    return undefined;
  } catch (error) {
    return String(error);
  } finally {
    await collector.close();
  }
}

async function run({ bundler, source, format, minify, name }, { folder, bundlers, env }) {
  if (bundler === 'turbopack')
    return runWithTurbopack({ folder, files: sources(), kind: source, minify, env });
  // Outside the folder with node_modules, so that the bundle cannot load packages from it.
  const outDir = mkdtempSync(join(tmpdir(), 'dacapo-bundle-'));
  try {
    const entry = join(folder, source === 'esm' ? 'app.mjs' : 'app.cjs');
    const file = await bundlers[bundler]({ entry, format, minify, outDir });
    const { code, output } = await capture(process.execPath, [file], {
      cwd: outDir,
      env: { PATH: process.env.PATH, ...env },
    });
    if (code !== 0) throw new Error(`${name} ended with ${code}: ${output.slice(0, 2000)}`);
    return JSON.parse(output.trim().split('\n').at(-1));
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
}

async function storedSpans({ url, apiKey }) {
  const get = async (path) => (await fetch(`${url}${path}`, { headers: { 'API-Key': apiKey } })).json();
  const { items } = await get('/api/v1/traces?trace_function_key=outer');
  const { spans } = await get(`/api/v1/traces/${items[0].id}`);
  const keys = new Map(spans.map((span) => [span.id, span.trace_function_key]));
  return spans
    .map(({ trace_function_key: key, status, parent_id: parent }) => [key, status, keys.get(parent) ?? null])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Responds to each request like a chat model. */
async function startModels() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json');
      const message = { role: 'assistant', content: 'Fine.' };
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      response.end(JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, message }], usage }));
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close() };
}
