import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type Members, toMembers, hasMembers } from '@dacapo/protocol';
import { requireFrom, searchedFolders } from './package-folders.js';

/** One copy of a package. An application may have a CommonJS and an ES module copy with different classes. */
export interface PackageCopy {
  readonly exports: Members;
  /** Loads the exports of another module of this copy; `undefined` if it cannot be loaded. */
  load(name: string, subpath?: string): Members | undefined;
}

/**
 * Finds the copy of a package that exports a class of `object`; `undefined` without one. Searches from the program, its working directory
 * and this package.
 */
export function findPackage(object: object, name: string, subpath = '.'): PackageCopy | undefined {
  const prototypes = listPrototypes(object);
  for (const folder of searchedFolders()) {
    for (const load of [loadCommonJs, loadEsModule]) {
      const exports = tryLoad(load, requireFrom(folder), name, subpath);
      if (
        exports === undefined ||
        !Object.values(exports).some((value) => prototypes.has(readPrototype(value)))
      )
        continue;
      return { exports, load: (other, path = '.') => loadBeside(load, folder, name, other, path) };
    }
  }
  return undefined;
}

type Load = (require: NodeJS.Require, name: string, subpath: string) => unknown;

const loadCommonJs: Load = (require, name, subpath) => require(join(name, subpath).replaceAll('\\', '/'));

/** Node can require ES modules, but `require.resolve` never returns them if a package has both forms. */
const loadEsModule: Load = (require, name, subpath) => {
  const { folder, description } = installed(require, name);
  return require(join(folder, importTarget(toMembers(description)['exports'], subpath)));
};

function tryLoad(load: Load, require: NodeJS.Require, name: string, subpath: string): Members | undefined {
  try {
    const exports = load(require, name, subpath);
    return hasMembers(exports) || typeof exports === 'function' ? (exports as Members) : undefined;
  } catch {
    return undefined;
  }
}

/** Loads a package, or a dependency of it, which strict package managers make visible only to that package. */
function loadBeside(
  load: Load,
  folder: string,
  name: string,
  other: string,
  path: string,
): Members | undefined {
  const require = requireFrom(folder);
  if (other === name) return tryLoad(load, require, name, path);
  return tryLoad(
    (from) => load(requireFrom(realpathSync(installed(from, name).folder)), other, path),
    require,
    name,
    path,
  );
}

/** @throws when it is not installed */
function installed(require: NodeJS.Require, name: string): { folder: string; description: unknown } {
  for (const modules of require.resolve.paths(name) ?? []) {
    const folder = join(modules, name);
    try {
      return { folder, description: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) };
    } catch {
      // The next folder may have it.
    }
  }
  throw new Error(`${name} is not installed`);
}

const CONDITIONS = ['node', 'import', 'module', 'default'];

function importTarget(exports: unknown, subpath: string): string {
  const entries = Object.entries(toMembers(exports));
  const [pattern = '', target] =
    entries.find(([path]) => path === subpath) ??
    entries.find(([path]) => path.endsWith('/*') && subpath.startsWith(path.slice(0, -1))) ??
    [];
  let chosen: unknown = target;
  while (hasMembers(chosen)) {
    const conditions: Members = chosen;
    chosen = conditions[CONDITIONS.find((condition) => condition in conditions) ?? ''];
  }
  if (typeof chosen !== 'string') throw new Error(`${subpath} is not exported`);
  return chosen.replace('*', subpath.slice(pattern.length - 1));
}

function listPrototypes(object: object): ReadonlySet<unknown> {
  const prototypes = new Set<unknown>();
  for (let link = Reflect.getPrototypeOf(object); link !== null; link = Reflect.getPrototypeOf(link))
    if (link !== Object.prototype) prototypes.add(link);
  return prototypes;
}

function readPrototype(value: unknown): unknown {
  return typeof value === 'function' ? (value.prototype as unknown) : NaN;
}
