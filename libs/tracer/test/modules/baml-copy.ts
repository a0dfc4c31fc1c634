import { transformSync } from '@swc/core';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const PACKAGE = dirname(require.resolve('@boundaryml/baml'));
const CLIENT = join(__dirname, '../adapters/baml_client');

/** A folder of an application, with nothing installed, until the test file ends. */
export function applicationFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dacapo-tracer-'));
  made.push(folder);
  return folder;
}

/** Installs a copy of its own of the package into an application; without its native part when asked to. */
export function installBaml(application: string, { native = true } = {}): void {
  const scope = join(application, 'node_modules/@boundaryml');
  cpSync(PACKAGE, join(scope, 'baml'), {
    recursive: true,
    filter: (path) => !path.includes('baml/node_modules'),
  });
  if (!native) return;
  for (const name of readdirSync(dirname(PACKAGE)).filter((entry) => entry.startsWith('baml-'))) {
    cpSync(join(dirname(PACKAGE), name), join(scope, name), { recursive: true });
  }
}

/** Installs a copy of the built tracer, as its tarball has it, with what it needs. */
export function installTracer(folder: string): void {
  for (const name of ['protocol', 'evaluation', 'tracer']) {
    const from = join(__dirname, '../../..', name);
    const to = join(folder, 'node_modules/@dacapo', name);
    for (const part of ['dist', 'package.json'])
      cpSync(join(from, part), join(to, part), { recursive: true });
  }
  const valibot = 'node_modules/valibot';
  cpSync(join(__dirname, '../../../..', valibot), join(folder, valibot), { recursive: true });
}

/** Compiles the generated client into an application, as its build would. */
export function installClient(application: string): void {
  const target = join(application, 'baml_client');
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(CLIENT)) compileTypeScript(join(CLIENT, name), target);
}

/** Writes a TypeScript file into a folder as CommonJS. */
export function compileTypeScript(path: string, folder: string): void {
  const { code } = transformSync(readFileSync(path, 'utf8'), {
    swcrc: false,
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  });
  writeFileSync(join(folder, basename(path).replace(/\.ts$/, '.js')), code);
}

const made: string[] = [];

afterAll(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});
