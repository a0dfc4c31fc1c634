import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { BamlClient, BamlPackage } from './baml-types.js';

const ENTRY = /[\\/]@boundaryml[\\/]baml[\\/](index|native)\.js$/;

/**
 * The copy of the package that this client itself uses.
 *
 * Never another: a collector of one copy, handed to the runtime of another, aborts the whole process. A package that
 * is absent, or lacks its native part, gives `undefined`.
 */
export function findBamlPackage({ runtime }: BamlClient): BamlPackage | undefined {
  const require = createRequire(join(process.cwd(), 'package.json'));
  for (const path of Object.keys(require.cache)) {
    const exports: unknown = ENTRY.test(path) ? require.cache[path]?.exports : undefined;
    if (isPackageOf(exports, runtime)) return exports;
  }
  try {
    const found: unknown = require('@boundaryml/baml');
    return isPackageOf(found, runtime) ? found : undefined;
  } catch {
    return undefined;
  }
}

function isPackageOf(exports: unknown, runtime: BamlClient['runtime']): exports is BamlPackage {
  if (typeof exports !== 'object' || exports === null) return false;
  const { BamlRuntime, Collector } = exports as Partial<BamlPackage>;
  return BamlRuntime !== undefined && BamlRuntime === runtime.constructor && typeof Collector === 'function';
}
