import { chmodSync, closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DataDirectoryNotWritableError } from '../../../errors.js';

/** The files of one collector, readable by its user alone. */
export interface DataDirectory {
  path: string;
  databasePath: string;
  lockPath: string;
}

/**
 * Makes the directory (mode 0700) where it is missing, and its files (0600). A directory that is there keeps its mode.
 * One that is new tells git to pass it over: what it holds was recorded from people, and it often stands in a project.
 *
 * @throws DataDirectoryNotWritableError
 */
export function prepareDataDirectory(directory: string): DataDirectory {
  const path = resolve(directory);
  const databasePath = join(path, 'dacapo.db');
  const lockPath = join(path, 'collector.lock');
  try {
    const isNew = mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined;
    if (isNew) writeFileSync(join(path, '.gitignore'), '*\n', { mode: 0o600 });
    for (const file of [databasePath, lockPath]) {
      closeSync(openSync(file, 'a', 0o600));
      chmodSync(file, 0o600);
    }
  } catch (error) {
    throw new DataDirectoryNotWritableError(path, error);
  }
  return { path, databasePath, lockPath };
}
