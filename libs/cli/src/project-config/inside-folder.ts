import { lstatSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';

/** Whether a relative path names something below the folder that it starts from. Looks at the text alone, and follows no links. */
export function isInside(path: string): boolean {
  if (/^([\\/]|[A-Za-z]:)/.test(path) || path.includes('\0')) return false;
  let depth = 0;
  for (const part of path.split(/[\\/]/)) {
    if (part === '..') depth--;
    else if (part !== '' && part !== '.') depth++;
    if (depth < 0) return false;
  }
  return true;
}

/**
 * Resolves a relative path below a folder. Links are followed, so that a link cannot lead out of the folder.
 *
 * @returns `undefined` when the path leaves the folder
 */
export function resolveInside(folder: string, path: string): string | undefined {
  if (!isInside(path)) return undefined;
  const wanted = resolve(folder, path);
  let existing = wanted;
  while (lstatSync(existing, { throwIfNoEntry: false }) === undefined) existing = dirname(existing);
  let real: string;
  try {
    real = realpathSync(existing);
  } catch {
    // A link to nothing, or in a circle.
    return undefined;
  }
  const way = relative(realpathSync(folder), real);
  const leaves = way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
  return leaves ? undefined : resolve(real, relative(existing, wanted));
}
