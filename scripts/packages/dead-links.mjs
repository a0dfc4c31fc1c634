import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/**
 * Finds links in a package's README that break when it is published: relative links to files outside the tarball, and links to
 * files that the repository does not have.
 *
 * @param paths paths of the files in the tarball
 * @param home URL of the repository
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
