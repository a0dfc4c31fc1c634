import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SystemClock } from '../../../../clock.js';
import {
  BackupExistsError,
  DataDirectoryInUseError,
  RestoreWouldOverwriteError,
  StorageError,
} from '../../../../errors.js';
import { acceptLostWrites, countMissing, listLostWrites, removeCommitCount } from '../commit-count.js';
import { Connection, isBusy } from '../connection.js';
import { prepareDataDirectory } from '../data-directory.js';
import { type CheckOptions, findDamage } from './check-database.js';
import { type DatabaseFacts, databaseIn, describeDatabase, verifyDatabase } from './database-file.js';

/** How often progress is reported. */
const PROGRESS_MS = 250;

export interface MaintenanceProgress {
  step: 'copy' | 'verify';
  /** Written so far, of so many at most. */
  bytes: number;
  of: number;
}

export interface MaintenanceOptions {
  /** Overwrites what is there. */
  force?: boolean;
  onProgress?: (progress: MaintenanceProgress) => void;
}

/**
 * Copies the database of a data directory into one file, as it is at one moment, while a collector may go on writing. The copy is
 * checked before it gets its name, and readable by this user alone.
 *
 * @throws DatabaseNotFoundError when the directory has no database
 * @throws BackupExistsError when the file is there, without `force`
 * @throws DatabaseDamagedError when the copy is not sound, because the database is not
 * @throws StorageError when it cannot be copied, such as for want of room
 */
export async function backupDatabase(
  dataDir: string,
  file: string,
  { force = false, onProgress }: MaintenanceOptions = {},
): Promise<DatabaseFacts> {
  const source = databaseIn(dataDir);
  const target = resolve(file);
  if (existsSync(target) && !force) throw new BackupExistsError(target);
  const { bytes: of } = await describeDatabase(source);
  const partial = `${target}.partial`;
  rmSync(partial, { force: true });
  try {
    // Private from its first byte: SQLite writes into an empty file that is there.
    createPrivately(partial);
    const database = await Connection.open({ path: source, pragmas: [] });
    try {
      await whileTelling(partial, of, onProgress, () => database.all('VACUUM INTO ?', [partial]));
    } finally {
      await database.close();
    }
    await finish(partial, target, onProgress);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
  return { ...(await describeDatabase(target)), path: target };
}

/**
 * Puts a backup in the place of a data directory's database. Nothing is changed before the copy of it is found sound.
 *
 * @throws DatabaseNotFoundError, DatabaseForeignError, DatabaseTooNewError, DatabaseUnreleasedError, DatabaseDamagedError of the backup
 * @throws RestoreWouldOverwriteError when the directory has a database, without `force`
 * @throws DataDirectoryInUseError when a collector runs on the directory
 * @throws DataDirectoryNotWritableError
 */
export async function restoreDatabase(
  file: string,
  dataDir: string,
  { force = false, onProgress }: MaintenanceOptions = {},
): Promise<DatabaseFacts> {
  const { bytes: of } = await describeDatabase(resolve(file));
  const place = join(resolve(dataDir), 'dacapo.db');
  if ((statSync(place, { throwIfNoEntry: false })?.size ?? 0) > 0 && !force) {
    throw new RestoreWouldOverwriteError(place);
  }
  const { path, databasePath, lockPath, release } = prepareDataDirectory(dataDir);
  const partial = `${databasePath}.partial`;
  try {
    const lock = await lockDirectory(path, lockPath);
    try {
      await whileTelling(partial, of, onProgress, () => copyPrivately(resolve(file), partial));
      for (const log of ['-wal', '-shm']) rmSync(partial + log, { force: true });
      await finish(partial, databasePath, onProgress, () => {
        removeCommitCount(databasePath);
        for (const log of ['-wal', '-shm']) rmSync(databasePath + log, { force: true });
      });
    } finally {
      await lock.close();
    }
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  } finally {
    release();
  }
  return describeDatabase(databasePath);
}

export interface CheckDatabaseOptions extends CheckOptions {
  /** Accepts that acknowledged writes are lost: the service no longer reports them. */
  acceptLoss?: boolean;
}

export interface CheckedDatabase extends DatabaseFacts {
  /** What is damaged; nothing when it is sound. */
  findings: string[];
  /** Acknowledged writes that are missing, such as those of a log that was removed, and that nobody accepted. */
  lostWrites: number;
}

/**
 * Looks through the database of a data directory, which may be in use.
 *
 * @throws DatabaseNotFoundError, DatabaseForeignError, DatabaseLostError, DatabaseTooNewError, DatabaseUnreleasedError
 * @throws StorageError when it cannot be checked
 */
export async function checkDatabase(
  dataDir: string,
  { acceptLoss = false, ...options }: CheckDatabaseOptions = {},
): Promise<CheckedDatabase> {
  const path = databaseIn(dataDir);
  const facts = await describeDatabase(path);
  const lostWrites = await countLostWrites(path, acceptLoss);
  return { ...facts, lostWrites, findings: await findDamage(path, options) };
}

async function countLostWrites(path: string, isAccepted: boolean): Promise<number> {
  const database = await Connection.open({ path, pragmas: isAccepted ? [] : ['query_only = ON'] });
  try {
    const missing = await countMissing(database, path);
    if (missing === undefined) return 0;
    if (isAccepted) await acceptLostWrites(database, missing, new SystemClock().nowUs());
    const lost = await listLostWrites(database);
    return lost.reduce((sum, { writes }) => sum + writes, isAccepted ? 0 : missing);
  } finally {
    await database.close();
  }
}

/** Checks a copy, makes it as safe as the disk keeps anything, and gives it its name. */
async function finish(
  partial: string,
  target: string,
  onProgress: MaintenanceOptions['onProgress'],
  beforeRename?: () => void,
): Promise<void> {
  const { size } = statSync(partial);
  onProgress?.({ step: 'verify', bytes: size, of: size });
  await verifyDatabase(partial);
  await sync(partial);
  beforeRename?.();
  renameSync(partial, target);
  await sync(dirname(target));
}

function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    throw new StorageError(`${path} cannot be made`, error, 'Name a file in a folder that you may write to.');
  }
}

/** Readable by this user alone from the first byte. */
async function copyPrivately(source: string, target: string): Promise<void> {
  rmSync(target, { force: true });
  await pipeline(createReadStream(source), createWriteStream(target, { flags: 'wx', mode: 0o600 }));
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function lockDirectory(directory: string, lockPath: string): Promise<Connection> {
  try {
    return await Connection.open({ path: ':memory:', lockPath, pragmas: [] });
  } catch (error) {
    throw isBusy(error) ? new DataDirectoryInUseError(directory, error) : error;
  }
}

async function whileTelling(
  file: string,
  of: number,
  onProgress: MaintenanceOptions['onProgress'],
  work: () => Promise<unknown>,
): Promise<void> {
  const timer = setInterval(() => {
    onProgress?.({ step: 'copy', bytes: statSync(file, { throwIfNoEntry: false })?.size ?? 0, of });
  }, PROGRESS_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
}
