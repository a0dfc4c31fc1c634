import type { Clock } from '../../../clock.js';
import {
  DatabaseForeignError,
  DatabaseLostError,
  DataDirectoryInUseError,
  LostWritesError,
  type StorageError,
} from '../../../errors.js';
import { type CollectorLogger, describeError } from '../../../logger.js';
import { MetaStore } from '../../meta/meta-store.js';
import type { Storage } from '../../storage.js';
import { Checkpointer } from './checkpointer.js';
import { countCommits, listLostWrites, readCommitCount } from './commit-count.js';
import { Connection, type ConnectionOptions, isBusy } from './connection.js';
import { checkHeader, type DataDirectory, prepareDataDirectory } from './data-directory.js';
import { FileScrubber } from './file-scrubber.js';
import { SqliteHealth } from './sqlite-health.js';
import { MetricsRollup } from './metrics/metrics-rollup.js';
import { measureStorage } from './measure-storage.js';
import { migrate } from './schema/migrate.js';
import type { Migration } from './schema/migration.js';
import { PacedDeletes } from './paced-deletes.js';
import { ReaderPool } from './reader-pool.js';
import { Reserve } from './reserve.js';
import { METHODS } from './run-methods.js';
import type { ListBounds } from './spans/list-traces.js';
import { SqliteMetaDatabase } from './sqlite-meta-database.js';
import { SqliteSpanStore } from './spans/sqlite-span-store.js';
import { TextIndex } from './spans/text-index.js';

const WRITER_PRAGMAS = [
  'journal_mode = WAL',
  'synchronous = FULL',
  'temp_store = MEMORY',
  'cache_size = -24576',
  // `Checkpointer` empties the log.
  'wal_autocheckpoint = 0',
  // Truncates a log that grew during a long read when it restarts.
  'journal_size_limit = 67108864',
  // Overwrites deleted data, such as a dataset or an account.
  'secure_delete = ON',
];

/** Room for a few batches. */
const WRITER_YOUNG_MIB = 8;

/** Lists, trees and searches use these. Keys, runs and datasets use others, so that no slow list delays the check of a key. */
const SPAN_READERS = { count: 3, cacheKib: 8 * 1024 };
const META_READERS = { count: 2, cacheKib: 4 * 1024 };
/** Read by the metrics rollup and the text index, one piece after another. They also split texts into words. */
const ROLLUP_READERS = { count: 1, cacheKib: 4 * 1024 };

export interface SqliteStorageOptions {
  maxDatabaseBytes?: number | undefined;
  /** Disk space that is kept free for deletions. Default: none. */
  reserveBytes?: number | undefined;
  listBounds?: ListBounds;
  /** All migrations, including applied ones. Tests add their own. */
  migrations?: readonly Migration[] | undefined;
  /** Logs when a thread of the database ends, and when it is open again. */
  logger?: Readonly<CollectorLogger> | undefined;
}

/**
 * Opens both stores in one SQLite database. One connection writes, and each store has its own connections for reads, so that a slow list
 * delays no other list, no check of a key and no write.
 *
 * @throws DataDirectoryNotWritableError
 * @throws DataDirectoryInUseError if another collector runs on the directory
 * @throws DatabaseTooNewError if a later version of the collector wrote the database
 * @throws DatabaseUnreleasedError if a version from before the first release wrote the database
 * @throws DatabaseForeignError if the file is not a collector's database
 * @throws DatabaseLostError if the database has lost its tables or accounts, for example with its log
 * @throws DatabaseDamagedError if its schema cannot be read, for example in a truncated file
 */
export async function openSqliteStorage(
  dataDir: string,
  clock: Clock,
  options: SqliteStorageOptions = {},
): Promise<Storage> {
  const directory = prepareDataDirectory(dataDir);
  try {
    checkHeader(directory.databasePath);
    return await openIn(directory, clock, options);
  } catch (error) {
    directory.release();
    throw error;
  }
}

async function openIn(
  directory: DataDirectory,
  clock: Clock,
  { maxDatabaseBytes, reserveBytes = 0, listBounds, logger, migrations }: SqliteStorageOptions,
): Promise<Storage> {
  const { databasePath: path, release } = directory;
  let onLost: ConnectionOptions['onLost'];
  const lost = new Promise<StorageError>((resolve) => {
    onLost = resolve;
  });
  const threads = { logger, onLost };
  let checkpointer: Checkpointer | undefined;
  let reserve: Reserve | undefined;
  const onWritten = (bytes: number): void => checkpointer?.wake(bytes);
  const writer = await openWriter(directory, { ...threads, onWritten });
  const pools: ReaderPool[] = [];
  const close = async (): Promise<void> => {
    await reserve?.stop();
    for (const pool of pools) await pool.close();
    await checkpointer?.stop();
    await writer.close();
  };
  try {
    const nowUs = clock.nowUs();
    await refuseOthers(writer, path);
    await limitSize(writer, maxDatabaseBytes);
    const log = (checkpointer = await Checkpointer.open({ ...threads, path }, writer));
    await migrate(writer, { path, nowUs, report: (message) => logger?.warn(message), migrations });
    await countCommits(writer, path, nowUs);
    await refuseEmptied(writer, path);
    // From now on, the file shows that it is a collector's database even without its log.
    await log.copy();
    // Staged items that a process left behind when it died.
    await writer.write([{ sql: 'DELETE FROM dataset_items WHERE staged IS NOT NULL', rows: [[]] }]);
    const open = async (
      { count, cacheKib }: typeof SPAN_READERS,
      more: Pick<ConnectionOptions, 'mapper'> = {},
    ): Promise<ReaderPool> => {
      const pool = await ReaderPool.open(path, count, cacheKib, { ...threads, ...more });
      pools.push(pool);
      return pool;
    };
    const spanReaders = await open(SPAN_READERS);
    const metaReaders = await open(META_READERS);
    const behind = await open(ROLLUP_READERS, { mapper: TextIndex.MAPPER });
    const rollup = new MetricsRollup(writer, behind);
    const texts = new TextIndex(writer, behind);
    const space = (reserve = new Reserve(path, reserveBytes, logger));
    const deletes = new PacedDeletes(space.forDeletions(writer), writer, behind);
    const file = new FileScrubber(log, deletes, behind);
    const health = new SqliteHealth(path, writer, pools, clock, space);
    for (const loss of await listLostWrites(writer)) logger?.error(describeError(new LostWritesError(loss)));
    return {
      spans: new SqliteSpanStore(writer, spanReaders, rollup, texts, deletes, file, space, listBounds),
      meta: new MetaStore(new SqliteMetaDatabase(writer, metaReaders, health, log, space)),
      lost,
      check: () => health.checkAll(),
      measure: () => measureStorage(path, writer, pools, clock.nowUs()),
      close: async () => {
        await health.stop();
        await rollup.stop();
        await texts.stop();
        await close();
        release();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openWriter(
  { path, databasePath, lockPath }: DataDirectory,
  threads: Pick<ConnectionOptions, 'logger' | 'onLost' | 'onWritten'>,
): Promise<Connection> {
  try {
    return await Connection.open({
      ...threads,
      path: databasePath,
      lockPath,
      pragmas: WRITER_PRAGMAS,
      youngMib: WRITER_YOUNG_MIB,
      methods: METHODS,
    });
  } catch (error) {
    throw isBusy(error) ? new DataDirectoryInUseError(path, error) : error;
  }
}

/** Leaves tables of other programs alone, and does not treat a database that lost its tables as a new one. */
async function refuseOthers(database: Connection, path: string): Promise<void> {
  const tables = await database.all<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'");
  if (tables.length === 0) {
    if (readCommitCount(path) !== undefined) throw new DatabaseLostError(path);
    return;
  }
  if (!tables.some(({ name }) => name === 'schema_migrations')) throw new DatabaseForeignError(path);
}

/** Refuses a database that lost its accounts with its log, which would otherwise get a new first account and key. */
async function refuseEmptied(database: Connection, path: string): Promise<void> {
  const lost = await listLostWrites(database);
  if (lost.length === 0) return;
  const accounts = await database.all('SELECT 1 FROM accounts LIMIT 1');
  if (accounts.length === 0) throw new DatabaseLostError(path);
}

async function limitSize(writer: Connection, maxBytes: number | undefined): Promise<void> {
  if (maxBytes === undefined) return;
  const [row] = await writer.all<{ page_size: number }>('PRAGMA page_size');
  await writer.set(`max_page_count = ${Math.floor(maxBytes / (row?.page_size ?? 4096))}`);
}
