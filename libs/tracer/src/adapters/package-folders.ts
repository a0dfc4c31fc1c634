import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Folders from which packages are searched: the program's, the working directory, and this package's, unless a bundler hides it. */
export function searchedFolders(): ReadonlySet<string> {
  const folders = [mainFolder(), process.cwd()];
  if (typeof __dirname === 'string') folders.push(__dirname);
  return new Set(folders);
}

export function requireFrom(folder: string): NodeJS.Require {
  return createRequire(join(folder, 'package.json'));
}

/** Returns the real folder of the program, because process managers and package managers start it by a link. */
function mainFolder(): string {
  const main = process.argv[1] ?? '';
  try {
    return dirname(realpathSync(main));
  } catch {
    return dirname(main);
  }
}
