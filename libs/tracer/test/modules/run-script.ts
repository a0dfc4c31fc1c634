import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const DIST = join(__dirname, '../../dist');

export type ModuleKind = 'cjs' | 'esm';

export interface ScriptRun {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a script in a process of its own, in an application's folder, against the built package: the copy that the
 * application has, else that of this workspace.
 *
 * @param body may use `createTestTracer`, `load(specifier)` for packages, and `env`
 */
export async function runScript(
  kind: ModuleKind,
  application: string,
  body: string,
  env: Record<string, string> = {},
): Promise<ScriptRun> {
  const testing = join(DIST, kind, 'testing.js');
  if (!existsSync(testing)) throw new Error('The package is not built. Run: npm run build');
  const isInstalled = existsSync(join(application, 'node_modules/@dacapo/tracer'));
  const head =
    kind === 'cjs'
      ? `const { createTestTracer } = require(${JSON.stringify(isInstalled ? '@dacapo/tracer/testing' : testing)});
         const load = async (specifier) => require(specifier);`
      : `import { createTestTracer } from ${JSON.stringify(isInstalled ? '@dacapo/tracer/testing' : pathToFileURL(testing).href)};
         const load = async (specifier) => { const found = await import(specifier); return found.default ?? found; };`;
  const path = join(application, `script.${kind === 'cjs' ? 'cjs' : 'mjs'}`);
  writeFileSync(path, `${head}\nconst env = process.env;\n(async () => {\n${body}\n})();\n`);
  const child = spawn(process.execPath, [path], {
    cwd: application,
    env: { PATH: process.env['PATH'], BAML_LOG: 'off', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve) => {
    child.once('close', (exitCode, signal) => {
      resolve({ exitCode, signal, stdout, stderr });
    });
  });
}

/** What the script printed last, as JSON; its errors when it did not end well. */
export function parseResult({ exitCode, signal, stdout, stderr }: ScriptRun): unknown {
  if (exitCode !== 0) throw new Error(`ended with ${exitCode ?? signal}: ${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}
