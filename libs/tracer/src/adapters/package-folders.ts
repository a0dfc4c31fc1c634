import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Folders to look for a package from: of the program, the working directory, and of this package where a bundler left it known. */
export function searchedFolders(): ReadonlySet<string> {
  const folders = [mainFolder(), process.cwd()];
  if (typeof __dirname === 'string') folders.push(__dirname);
  return new Set(folders);
}

export function requireFrom(folder: string): NodeJS.Require {
  return createRequire(join(folder, 'package.json'));
}

/** Where the program really is: process managers and package managers start it by a link. */
function mainFolder(): string {
  const main = process.argv[1] ?? '';
  try {
    return dirname(realpathSync(main));
  } catch {
    return dirname(main);
  }
}
