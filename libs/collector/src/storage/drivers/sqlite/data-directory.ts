import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
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
 *
 * @throws DataDirectoryNotWritableError
 */
export function prepareDataDirectory(directory: string): DataDirectory {
  const path = resolve(directory);
  const databasePath = join(path, 'dacapo.db');
  const lockPath = join(path, 'collector.lock');
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    for (const file of [databasePath, lockPath]) {
      closeSync(openSync(file, 'a', 0o600));
      chmodSync(file, 0o600);
    }
  } catch (error) {
    throw new DataDirectoryNotWritableError(path, error);
  }
  return { path, databasePath, lockPath };
}
