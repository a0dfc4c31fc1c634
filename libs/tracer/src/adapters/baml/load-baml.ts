import { toMembers } from '@dacapo/protocol';
import { requireFrom, searchedFolders } from '../package-folders.js';
import type { BamlClient, BamlPackage } from './baml-types.js';

const ENTRY = /[\\/]@boundaryml[\\/]baml[\\/](index|native)\.js$/;

/**
 * Returns the copies of `@boundaryml/baml` that are already loaded in this process.
 *
 * `import()` does not work in Jest, and finds only the copy next to this package.
 */
export function loadedBamlPackages(): unknown[] {
  const { cache } = requireFrom(process.cwd());
  return Object.keys(cache)
    .filter((path) => ENTRY.test(path))
    .map((path): unknown => cache[path]?.exports);
}

/** The copy that the application would load; `undefined` when it is absent or lacks its native part. */
export function requireBamlPackage(): unknown {
  for (const found of requiredBamlPackages()) return found;
  return undefined;
}

/**
 * Loads the copies that can be found: the application's, then the one next to this package. In a pnpm monorepo, the package that calls
 * models may have dependencies that the started program cannot see. Its tracer is installed next to them.
 */
function* requiredBamlPackages(): Generator {
  for (const folder of searchedFolders()) {
    try {
      yield requireFrom(folder)('@boundaryml/baml');
    } catch {
      continue;
    }
  }
}

/**
 * Returns the copy of the package that the client uses; `undefined` if it cannot be found.
 *
 * Never returns another copy: a runtime that receives a collector of another copy aborts the process.
 */
export function findBamlPackage({ runtime }: BamlClient): BamlPackage | undefined {
  const isItsOwn = (exports: unknown): exports is BamlPackage => matchesRuntime(exports, runtime);
  const loaded = loadedBamlPackages().find(isItsOwn);
  if (loaded !== undefined) return loaded;
  for (const found of requiredBamlPackages()) if (isItsOwn(found)) return found;
  return undefined;
}

function matchesRuntime(exports: unknown, runtime: BamlClient['runtime']): exports is BamlPackage {
  const { BamlRuntime, Collector } = toMembers(exports);
  return BamlRuntime !== undefined && BamlRuntime === runtime.constructor && typeof Collector === 'function';
}
