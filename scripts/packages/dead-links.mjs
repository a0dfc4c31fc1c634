import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/**
 * The links of a package's README that lead nowhere once it is published: a relative one to a file that is not in the tarball, and one to a file of
 * the repository that does not exist.
 *
 * @param paths of the tarball's files
 * @param home address of the repository
 */
export function deadLinks(dir, paths, { home, root }) {
  const readme = readFileSync(join(dir, 'README.md'), 'utf8');
  return [...readme.matchAll(/\]\(([^)#\s]*)(?:#[^)]*)?\)/g)]
    .map(([, target]) => target)
    .filter((target) => {
      const [, path] = new RegExp(`^${home}/(?:blob|tree)/main/(.+)$`).exec(target) ?? [];
      if (path !== undefined) return !existsSync(join(root, path));
      return target !== '' && !/^[a-z]+:/.test(target) && !paths.includes(posix.normalize(target));
    });
}
