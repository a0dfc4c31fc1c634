import type { BamlClient, BamlPackage } from './baml-types.js';
import { loadedBamlPackages, requireBamlPackage } from './load-baml.js';

/**
 * The copy of the package that this client itself uses; `undefined` when it cannot be found.
 *
 * Never another: a collector of one copy, handed to the runtime of another, aborts the whole process.
 */
export function findBamlPackage({ runtime }: BamlClient): BamlPackage | undefined {
  const isItsOwn = (exports: unknown): exports is BamlPackage => isPackageOf(exports, runtime);
  const loaded = loadedBamlPackages().find(isItsOwn);
  if (loaded !== undefined) return loaded;
  const found = requireBamlPackage();
  return isItsOwn(found) ? found : undefined;
}

function isPackageOf(exports: unknown, runtime: BamlClient['runtime']): exports is BamlPackage {
  if (typeof exports !== 'object' || exports === null) return false;
  const { BamlRuntime, Collector } = exports as Partial<BamlPackage>;
  return BamlRuntime !== undefined && BamlRuntime === runtime.constructor && typeof Collector === 'function';
}
