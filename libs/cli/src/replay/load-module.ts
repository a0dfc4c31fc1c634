import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Evaluator, Evaluators } from '@dacapo/evaluation';
import type { FunctionBaseline } from '@dacapo/tracer';
import { EntryExportError, EntryNotLoadedError } from './errors.js';
import { importModule } from './import-module.cjs';
import type { ExportWord } from '../output/read-words.js';

/** A loaded module of the application. */
export interface LoadedModule {
  /** The module as named on the command line. */
  readonly name: string;
  /** Absolute, with symbolic links resolved, like Node resolves its imports. */
  readonly path: string;
  readonly exports: ReadonlyMap<string, unknown>;
  /** The default export, or `module.exports` of a CommonJS module. */
  readonly main: unknown;
}

/**
 * Loads a CommonJS or ES module, or any module that Node's loaders support.
 *
 * @param importPath default: Node's own `import`
 * @throws EntryNotLoadedError when it does not exist, or throws while it loads
 */
export async function loadModule(
  name: string,
  importPath: (path: string) => Promise<Record<string, unknown>> = (path) =>
    importModule(pathToFileURL(path).href),
): Promise<LoadedModule> {
  const wanted = resolve(name);
  if (!existsSync(wanted)) throw new EntryNotLoadedError(name, { cause: { code: 'ENOENT' } });
  const path = realpathSync(wanted);
  try {
    const namespace = await importPath(path);
    return { name, path, exports: collectExports(namespace), main: unwrapDefault(namespace) };
  } catch (cause) {
    throw new EntryNotLoadedError(name, { cause });
  }
}

/** Listed by Node but not exports: the compilers' marker, and Node's name for `module.exports`. */
const NOT_EXPORTS = new Set(['__esModule', 'module.exports']);

/**
 * Exports by name. Includes exports of CommonJS modules that Node does not detect, and the members of a default export that is a plain
 * object. Dynamic Nest modules and replay contexts stay whole.
 */
function collectExports({ default: main, ...named }: Record<string, unknown>): Map<string, unknown> {
  const isRecordOfExports = isRecord(main) && !('module' in main) && !('replays' in main);
  const exported: Record<string, unknown> = {
    ...(isRecordOfExports ? main : { default: main }),
    ...named,
    ...(isCompiled(main) && { default: main['default'] }),
  };
  return new Map(
    Object.entries(exported).filter(([name, value]) => value !== undefined && !NOT_EXPORTS.has(name)),
  );
}

function unwrapDefault({ default: main }: Record<string, unknown>): unknown {
  return isCompiled(main) ? main['default'] : main;
}

/** Whether a compiler turned an ES module into this CommonJS module. */
function isCompiled(main: unknown): main is Record<string, unknown> {
  return isRecord(main) && main['__esModule'] === true;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/**
 * Loads the function that the entry's function is compared with, such as the one of the previous build.
 *
 * @throws EntryNotLoadedError, EntryExportError
 */
export async function loadBaseline({ file, exportName }: ExportWord): Promise<FunctionBaseline> {
  const { exports } = await loadModule(file);
  const fn = exports.get(exportName);
  if (typeof fn === 'function') return { function: fn as FunctionBaseline['function'], name: exportName };
  throw new EntryExportError(
    file,
    fn === undefined ? `has no export ${exportName}` : `exports ${exportName}, which is not a function`,
    'Name an exported function: --baseline file#export.',
  );
}

/**
 * Loads evaluators: a list exported by default, else all exported functions by name. `file#export` loads only that export, which is a
 * list, a record or a function.
 *
 * @throws EntryNotLoadedError, EntryExportError
 */
export async function loadEvaluators(name: string): Promise<Evaluators> {
  const [, file, exportName] = /^(.+)#([^#]+)$/s.exec(name) ?? [];
  if (file !== undefined && exportName !== undefined && !existsSync(name)) {
    const { exports } = await loadModule(file);
    const chosen = exports.get(exportName);
    if (typeof chosen === 'function') return { [exportName]: chosen as Evaluator };
    if (Array.isArray(chosen) || isRecord(chosen)) return chosen as Evaluators;
    throw new EntryExportError(
      file,
      chosen === undefined
        ? `has no export ${exportName}`
        : `exports ${exportName}, which is not a list, an object or a function of evaluators`,
      'Name exported evaluators: --evaluators file#export.',
    );
  }
  const { exports } = await loadModule(name);
  const main = exports.get('default');
  if (Array.isArray(main)) return main as Evaluators;
  const functions = [...exports].filter(([, value]) => typeof value === 'function');
  if (functions.length > 0) return Object.fromEntries(functions) as Evaluators;
  throw new EntryExportError(
    name,
    'exports no evaluator',
    'Export functions such as category({ output, expected }), or a list as the default export.',
  );
}
