/**
 * Installs the packed packages into six applications (Nest 10, 11 and 12, each as CommonJS and as ES modules), checks their
 * types with `skipLibCheck: false`, then boots, traces and replays on this Node, 22 and 24, each with its own collector. Also
 * compiles and runs the code of docs/node.md and docs/nestjs.md with the settings of `nest new`.
 *
 * Run `npm run test:matrix`, or filter by name: `npm run test:matrix -- "Nest 10"`. Needs the npm registry.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build } from '../../scripts/build.mjs';
import { installPackages } from '../../scripts/npm.mjs';
import { pack } from '../../scripts/pack.mjs';
import { capture, runMain } from '../../scripts/progress.mjs';
import { ROOT } from '../../scripts/workspace.mjs';
import { APPLICATIONS, NODES, stockTsconfigFor, tsconfigFor } from './applications.mjs';

await runMain(async () => {
  const chosen = APPLICATIONS.filter(({ name }) => name.includes(process.argv[2] ?? ''));
  const work = mkdtempSync(join(tmpdir(), 'dacapo-matrix-'));
  const failures = [];
  try {
    await build(['nestjs', 'collector']);
    const tarballs = await pack(['nestjs'], join(work, 'tarballs'));
    const nodes = await installNodes(work);
    for (const application of chosen)
      failures.push(...(await tryOut(application, { work, tarballs, nodes })));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  report(chosen.length, failures);
});

/** The current Node, and others from npm packages with their binaries. */
async function installNodes(work) {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const nodes = [{ version: process.version, program: process.execPath }];
  for (const major of NODES) {
    const folder = join(work, `node-${major}`);
    const name = `node-${platform}-${process.arch}`;
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }));
    await installPackages(`Installing Node ${major}`, ['install', `${name}@${major}`], { cwd: folder });
    const program = join(folder, 'node_modules', name, 'bin', platform === 'win' ? 'node.exe' : 'node');
    nodes.push({ version: (await capture(program, ['--version'])).output.trim(), program });
  }
  return nodes;
}

async function tryOut(application, { work, tarballs, nodes }) {
  const { name, folder, manifest } = application;
  const cwd = join(work, folder);
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'package.json'), JSON.stringify(manifest(tarballs), null, 2));
  writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify(tsconfigFor(application), null, 2));
  cpSync(join(ROOT, 'test/matrix/app'), join(cwd, 'src'), { recursive: true });
  await installPackages(`${name}: installing`, ['install'], { cwd });
  const failures = [];
  const step = async (title, program, args, env = {}) => {
    const { code, output } = await capture(program, args, { cwd, env: { ...process.env, ...env } });
    process.stdout.write(`${code === 0 ? '✓' : '✗'} ${title}${code === 0 ? ` ${output.trim()}` : ''}\n`);
    if (code !== 0) failures.push({ title, output });
    return code === 0;
  };
  const isTyped = await step(`${name}: types`, process.execPath, ['node_modules/typescript/bin/tsc']);
  if (!isTyped) return failures;
  const { startCollector } = await import('@dacapo/collector');
  for (const { version, program } of nodes) {
    const collector = await startCollector({ port: 0, dataDir: join(work, `${folder}-${version}`) });
    const env = { TRACER_SERVICE_URL: collector.url, TRACER_API_KEY: collector.apiKey };
    await step(`${name}: Node ${version}`, program, ['--unhandled-rejections=strict', 'dist/main.js'], env);
    await collector.close();
  }
  if (
    application.stock === undefined ||
    !(await step(`${name}: documents compile`, ...compileReadme(application, cwd)))
  )
    return failures;
  for (const { version, program } of nodes) {
    const collector = await startCollector({ port: 0, dataDir: join(work, `${folder}-readme-${version}`) });
    const env = { TRACER_SERVICE_URL: collector.url, TRACER_API_KEY: collector.apiKey };
    const script = join(ROOT, 'test/matrix/try-readme.mjs');
    await step(`${name}: documents on Node ${version}`, process.execPath, [script, program], env);
    await collector.close();
  }
  return failures;
}

/** Tests the code of docs/node.md and docs/nestjs.md in an application with the settings of `nest new`. */
function compileReadme(application, cwd) {
  const text = ['docs/node.md', 'docs/nestjs.md']
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n');
  mkdirSync(join(cwd, 'readme'));
  for (const [, kind, name, code] of text.matchAll(/^<!-- (run|file): (\S+) -->\n```ts\n([^]*?)^```$/gm))
    writeFileSync(join(cwd, 'readme', kind === 'run' ? `run-${name}.ts` : basename(name)), code);
  writeFileSync(join(cwd, 'tsconfig.readme.json'), JSON.stringify(stockTsconfigFor(application), null, 2));
  return [process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.readme.json']];
}

function report(count, failures) {
  for (const { title, output } of failures)
    process.stdout.write(`\n${title}\n${output.replace(/^/gm, '    ')}\n`);
  process.stdout.write(
    failures.length === 0 ? `\nAll ${count} applications work.\n` : `\n${failures.length} failed.\n`,
  );
  process.exitCode = failures.length === 0 ? 0 : 1;
}
