import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compileModule } from './compile-module.js';
import { ROOT } from './program.js';

/** Runs the code block under `<!-- run: <name> -->` of a document unchanged and returns its output. */
export async function runExample(
  document: string,
  name: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const options = { cwd: ROOT, env: { ...process.env, ...env } };
  return (await promisify(execFile)(process.execPath, readExample(document, name), options)).stdout;
}

/** Arguments of Node that run the code block under `<!-- run: <name> -->` of a document. */
export function readExample(document: string, name: string): string[] {
  const text = readFileSync(join(ROOT, document), 'utf8');
  const [, code = ''] = new RegExp(`<!-- run: ${name} -->\n\`\`\`[jt]s\n([^]*?)\n\`\`\``).exec(text) ?? [];
  expect(code).not.toBe('');
  return ['--input-type=module', '--eval', compileModule(code)];
}
