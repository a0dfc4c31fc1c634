import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  DatabaseForeignError,
  DatabaseLostError,
  DataDirectoryInUseError,
  DataDirectoryNotWritableError,
} from '../../../errors.js';

/**
 * Directories that this process holds. On POSIX, closing any descriptor of a file releases all locks of the process on it, including
 * SQLite's. So only SQLite may open the files of these directories.
 */
const held = new Set<string>();

/** The files of one collector, readable by its user alone. */
export interface DataDirectory {
  path: string;
  databasePath: string;
  lockPath: string;
  /** Call it after everything is closed. */
  release: () => void;
}

/**
 * Creates the directory (mode 0700) and its files (0600) if missing. An existing directory keeps its mode. A new one gets a `.gitignore`,
 * because it contains recorded data of people and is often inside a project.
 *
 * @throws DataDirectoryNotWritableError
 * @throws DataDirectoryInUseError if this process holds it
 */
export function prepareDataDirectory(directory: string): DataDirectory {
  const path = resolve(directory);
  const databasePath = join(path, 'dacapo.db');
  const lockPath = join(path, 'collector.lock');
  try {
    const isNew = mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined;
    if (isNew) writeFileSync(join(path, '.gitignore'), '*\n', { mode: 0o600 });
  } catch (error) {
    throw new DataDirectoryNotWritableError(path, error);
  }
  const release = hold(path);
  try {
    for (const file of [databasePath, lockPath]) {
      closeSync(openSync(file, 'a', 0o600));
      chmodSync(file, 0o600);
    }
  } catch (error) {
    release();
    throw new DataDirectoryNotWritableError(path, error);
  }
  return { path, databasePath, lockPath, release };
}

/** Whether this process has the database open and has checked its header. */
export function isHeld(databasePath: string): boolean {
  return held.has(dirname(realpathSync(databasePath)));
}

function hold(path: string): () => void {
  const real = realpathSync(path);
  if (held.has(real)) throw new DataDirectoryInUseError(path);
  held.add(real);
  return () => held.delete(real);
}

const MAGIC = 'SQLite format 3\0';

/**
 * Checks the first bytes of a database before anything opens and maybe changes it. An empty file is a new database.
 *
 * @throws DatabaseForeignError if it is not a SQLite database
 * @throws DatabaseLostError if it is empty but its log is not
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
