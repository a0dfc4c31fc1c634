import { chmodSync, closeSync, mkdirSync, openSync, readSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseForeignError, DatabaseLostError, DataDirectoryNotWritableError } from '../../../errors.js';

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

const MAGIC = 'SQLite format 3\0';

/**
 * Looks at the first bytes of a database before anything opens it, and so may change it. An empty one is new.
 *
 * @throws DatabaseForeignError when it is no SQLite database
 * @throws DatabaseLostError when it is empty, and its log is not
 */
export function checkHeader(databasePath: string): void {
  const head = Buffer.alloc(MAGIC.length);
  const file = openSync(databasePath, 'r');
  const bytes = readSync(file, head);
  closeSync(file);
  if (bytes > 0) {
    if (head.toString('latin1') !== MAGIC) throw new DatabaseForeignError(databasePath);
  } else if ((statSync(`${databasePath}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new DatabaseLostError(databasePath);
  }
}
