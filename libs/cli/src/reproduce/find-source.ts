import { posix } from 'node:path';
import { glob } from 'tinyglobby';
import { findProviderMethods } from '../init/edits/traced-method.js';
import type { Project } from '../init/project.js';

/** Where the function with a key is in the sources. */
export type FoundSource =
  | { readonly kind: 'function'; readonly file: string; readonly name: string }
  | {
      readonly kind: 'method';
      readonly file: string;
      readonly className: string;
      readonly method: string;
    };

const SOURCES = ['**/*.{ts,mts,cts,js,mjs,cjs}'];
const NO_SOURCES = ['**/node_modules/**', '**/dist/**', '**/coverage/**', '**/*.{spec,test}.*', '**/*.d.ts'];
/** A name that can be written into code as it is. */
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/**
 * Looks for `export const name = tracer.withSpan('key', …)` and for a method with `@Traced('key')`. It reads the code and runs nothing.
 *
 * @returns `undefined` unless there is exactly one
 */
export async function findSource(project: Project, key: string): Promise<FoundSource | undefined> {
  const found: FoundSource[] = [];
  for (const file of await listFiles(project)) {
    const source = (await project.read(file)) ?? '';
    for (const name of findFunctions(source, key)) found.push({ kind: 'function', file, name });
    for (const [className = '', method = ''] of findMethods(source, key))
      if (IDENTIFIER.test(className) && IDENTIFIER.test(method))
        found.push({ kind: 'method', file, className, method });
  }
  return found.length === 1 ? found[0] : undefined;
}

/** The file of an exported class, such as the application's module. @returns `undefined` unless there is exactly one */
export async function findClass(project: Project, className: string): Promise<string | undefined> {
  const found: string[] = [];
  for (const file of await listFiles(project))
    if (new RegExp(`^export\\s+class\\s+${className}\\b`, 'm').test((await project.read(file)) ?? ''))
      found.push(file);
  return found.length === 1 ? found[0] : undefined;
}

async function listFiles({ folder, sourceRoot }: Project): Promise<string[]> {
  const files = await glob(SOURCES, {
    cwd: posix.join(folder, sourceRoot),
    ignore: NO_SOURCES,
    followSymbolicLinks: false,
  });
  return files.map((file) => posix.join(sourceRoot, file)).sort();
}

function findFunctions(source: string, key: string): string[] {
  const quoted = `(['"\`])${escapeExpression(key)}\\1`;
  const name = '([A-Za-z_$][\\w$]*)';
  const wrapped = (place: number): string =>
    `=\\s*[\\w$.]*withSpan(?:<[^(]*>)?\\(\\s*${quoted.replace('\\1', `\\${place}`)}`;
  const expressions = [
    `export\\s+const\\s+${name}\\s*(?::[^=]+)?${wrapped(2)}`,
    `(?<![\\w$.])(?:module\\.)?exports\\.${name}\\s*${wrapped(2)}`,
  ];
  return expressions.flatMap((text) =>
    [...source.matchAll(new RegExp(text, 'g'))].map(([, found = '']) => found),
  );
}

/** Class and method. `@Traced()` without a key records as `Class.method`. */
function findMethods(source: string, key: string): string[][] {
  const methods = findProviderMethods(source);
  const decorator = new RegExp(`@Traced\\(\\s*(['"\`])${escapeExpression(key)}\\1`).exec(source);
  const named = decorator === null ? undefined : methods.find(({ at }) => at > decorator.index);
  const found = named ?? methods.find(({ name, isTraced }) => isTraced && name === key);
  return found === undefined ? [] : [found.name.split('.')];
}

function escapeExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
