import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Evaluator, Evaluators } from '@dacapo/evaluation';
import type { FunctionBaseline } from '@dacapo/tracer';
import { EntryExportError, EntryNotLoadedError } from './errors.js';
import { importModule } from './import-module.cjs';
import type { ExportWord } from './read-words.js';

/** A module of the application, as this process loaded it. */
export interface LoadedModule {
  /** As the command line names it. */
  readonly name: string;
  /** Absolute, without symbolic links: what it imports is looked for from there. */
  readonly path: string;
  readonly exports: ReadonlyMap<string, unknown>;
  /** The default export; of a CommonJS module `module.exports`. */
  readonly main: unknown;
}

/**
 * Loads a CommonJS or ES module, or whatever the loaders that Node was started with can load.
 *
 * @param importPath default: Node's own `import`
 * @throws EntryNotLoadedError when it is not there, or fails while it is loaded
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
    return { name, path, exports: exportsOf(namespace), main: mainOf(namespace) };
  } catch (cause) {
    throw new EntryNotLoadedError(name, { cause });
  }
}

/** Not exports, though Node lists them: marks of compilers, and Node's own name of `module.exports`. */
const MARKS = new Set(['__esModule', 'module.exports']);

/**
 * By name. Of a CommonJS module also those that Node cannot tell by reading it, and of a default export that is a record of
 * functions each of them; one that is something itself, such as a dynamic module, stays whole.
 */
function exportsOf({ default: main, ...named }: Record<string, unknown>): Map<string, unknown> {
  const isRecordOfExports = isRecord(main) && !('module' in main) && !('replays' in main);
  const exported: Record<string, unknown> = {
    ...(isRecordOfExports ? main : { default: main }),
    ...named,
    ...(isCompiled(main) && { default: main['default'] }),
  };
  return new Map(Object.entries(exported).filter(([name, value]) => value !== undefined && !MARKS.has(name)));
}

function mainOf({ default: main }: Record<string, unknown>): unknown {
  return isCompiled(main) ? main['default'] : main;
}

/** A compiler made it of an ES module. */
function isCompiled(main: unknown): main is Record<string, unknown> {
  return isRecord(main) && main['__esModule'] === true;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/**
 * The function that replays calls beside the entry's, such as that of the previous build.
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
 * The evaluators of a module: a list that it exports by default, else every function that it exports, by its name. Of `file#export`
 * that export alone: a list, a record or a function.
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
        : `exports ${exportName}, which is no list, record or function of evaluators`,
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
    'Export functions, as category({ output, expected }), or a list by default.',
  );
}
