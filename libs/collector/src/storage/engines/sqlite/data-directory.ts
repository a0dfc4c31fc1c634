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
 * Directories that this process holds. Who closes any descriptor of a file gives up all locks that the process has on it (POSIX),
 * SQLite's among them: another process would take them. So nothing but SQLite opens the files of these.
 */
const held = new Set<string>();

/** The files of one collector, readable by its user alone. */
export interface DataDirectory {
  path: string;
  databasePath: string;
  lockPath: string;
  /** When all of it is closed. */
  release: () => void;
}

/**
 * Makes the directory (mode 0700) where it is missing, and its files (0600). A directory that is there keeps its mode.
 * One that is new tells git to pass it over: what it holds was recorded from people, and it often stands in a project.
 *
 * @throws DataDirectoryNotWritableError
 * @throws DataDirectoryInUseError when this process holds it
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

/** Whether this process has the database open, and has looked at its header. */
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
