import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { ProjectConfig } from './project-config.js';

const SOURCE = /\.([mc]?[jt]sx?|json|baml|prisma|graphql|ya?ml|md|txt|hbs|sql)$/;
const SKIPPED = new Set(['node_modules', '.git', 'coverage']);
/** A larger project is looked at in part. */
const MOST_FILES = 50_000;

export interface StaleBuild {
  /** The source that was changed last, relative to the project. */
  readonly source: string;
  readonly module: string;
}

/**
 * Finds out whether a source was changed after the module was built: whether the newest of the sources is newer than the newest file
 * next to the module.
 *
 * @returns `undefined` when the build is not older, or the module is itself one of the sources
 */
export function findStaleBuild({ folder, replay }: ProjectConfig): StaleBuild | undefined {
  if (replay === undefined) return undefined;
  const { module, sources } = replay;
  const build = join(folder, dirname(module));
  const roots = sources.map((source) => join(folder, source));
  if (roots.some((root) => isBelow(root, join(folder, module)))) return undefined;
  const budget = { files: MOST_FILES };
  const source = newest(roots, budget);
  // A module in the folder of the project has other files next to it that no build writes.
  const built = newest(dirname(module) === '.' ? [join(folder, module)] : [build], budget);
  if (source === undefined || (built !== undefined && built.changedMs >= source.changedMs)) return undefined;
  return { source: relative(folder, source.path), module };
}

interface ChangedFile {
  readonly path: string;
  readonly changedMs: number;
}

function newest(roots: readonly string[], budget: { files: number }): ChangedFile | undefined {
  let found: ChangedFile | undefined;
  const pending = [...roots];
  for (let path = pending.pop(); path !== undefined && budget.files > 0; path = pending.pop()) {
    budget.files--;
    const stats: Stats | undefined = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true)
      for (const name of readdirSync(path)) if (!SKIPPED.has(name)) pending.push(join(path, name));
    if (stats?.isFile() === true && SOURCE.test(path) && stats.mtimeMs > (found?.changedMs ?? -1))
      found = { path, changedMs: stats.mtimeMs };
  }
  return found;
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}
