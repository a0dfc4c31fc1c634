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
  /** Bytes written so far. */
  bytes: number;
  /** The maximum of bytes to write. */
  of: number;
}

export interface MaintenanceOptions {
  /** Overwrites an existing file or database. */
  force?: boolean;
  onProgress?: (progress: MaintenanceProgress) => void;
}

/**
 * Copies a snapshot of a data directory's database into one file, while a collector may continue to write. The copy gets its name only
 * after a check. Only this user can read it.
 *
 * @throws DatabaseNotFoundError if the directory has no database
 * @throws BackupExistsError if the file exists, without `force`
 * @throws DatabaseDamagedError if the copy is damaged, because the database is
 * @throws StorageError if it cannot be copied, for example on a full disk
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
    // Private from its first byte, because SQLite writes into the existing empty file.
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
 * Replaces a data directory's database by a backup. Changes nothing before the copy of the backup is checked.
 *
 * @throws DatabaseNotFoundError, DatabaseForeignError, DatabaseTooNewError, DatabaseUnreleasedError, DatabaseDamagedError of the backup
 * @throws RestoreWouldOverwriteError if the directory has a database, without `force`
 * @throws DataDirectoryInUseError if a collector runs on the directory
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
  /** Accepts the loss of acknowledged writes, so that the service no longer reports it. */
  acceptLoss?: boolean;
}

export interface CheckedDatabase extends DatabaseFacts {
  /** Descriptions of damage. */
  findings: string[];
  /** The number of missing acknowledged writes, for example from a removed log, whose loss nobody accepted. */
  lostWrites: number;
}

/**
 * Checks the database of a data directory, which may be in use.
 *
 * @throws DatabaseNotFoundError, DatabaseForeignError, DatabaseLostError, DatabaseTooNewError, DatabaseUnreleasedError
 * @throws StorageError if it cannot be checked
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

/** Checks a copy, syncs it to the disk, and renames it. */
async function finish(
  partial: string,
  target: string,
  onProgress: MaintenanceOptions['onProgress'],
  beforeRename?: () => void,
): Promise<void> {
  const { size } = statSync(partial);
  onProgress?.({ step: 'verify', bytes: size, of: size });
  await verifyDatabase(partial);
  await sync(partial, 'r+');
  beforeRename?.();
  renameSync(partial, target);
  // Windows cannot sync a folder.
  if (process.platform !== 'win32') await sync(dirname(target), 'r');
}

function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    throw new StorageError(
      `${path} cannot be created`,
      error,
      'Name a file in a folder that you can write to.',
    );
  }
}

/** Copies into a file that only this user can read from its first byte. */
async function copyPrivately(source: string, target: string): Promise<void> {
  rmSync(target, { force: true });
  await pipeline(createReadStream(source), createWriteStream(target, { flags: 'wx', mode: 0o600 }));
}

/** @param flags Windows syncs only files that are open for writing. Other systems open folders only for reading */
async function sync(path: string, flags: 'r' | 'r+'): Promise<void> {
  const file = await open(path, flags);
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
