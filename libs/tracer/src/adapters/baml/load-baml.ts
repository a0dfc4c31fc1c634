import { toMembers } from '@dacapo/protocol';
import { requireFrom, searchedFolders } from '../package-folders.js';
import type { BamlClient, BamlPackage } from './baml-types.js';

const ENTRY = /[\\/]@boundaryml[\\/]baml[\\/](index|native)\.js$/;

/**
 * The copies of `@boundaryml/baml` in this process: those that are loaded already, whoever loaded them.
 *
 * A real `import()` would not work in Jest, and finds only the copy beside this package.
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
 * The copies that can be loaded: the application's, then the one beside this package. In a monorepo the program may be one
 * package and what calls models another, which pnpm installs its dependencies for alone; its tracer it links with them.
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
 * The copy of the package that this client itself uses; `undefined` when it cannot be found.
 *
 * Never another: a collector of one copy, handed to the runtime of another, aborts the whole process.
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
