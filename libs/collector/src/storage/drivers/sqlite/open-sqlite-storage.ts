import type { Clock } from '../../../clock.js';
import { DataDirectoryInUseError, StorageError } from '../../../errors.js';
import type { Storage } from '../../storage.js';
import { Connection } from './connection.js';
import { type DataDirectory, prepareDataDirectory } from './data-directory.js';
import { SqliteMetaStore } from './meta/sqlite-meta-store.js';
import { migrate } from './migrations/migrate.js';
import { SqliteSpanStore } from './spans/sqlite-span-store.js';

const WRITER_PRAGMAS = [
  'journal_mode = WAL',
  'synchronous = FULL',
  'temp_store = MEMORY',
  'cache_size = -65536',
  // What is deleted is overwritten: a dataset, an account.
  'secure_delete = ON',
];
const READER_PRAGMAS = ['query_only = ON', 'temp_store = MEMORY', 'cache_size = -32768'];

/** How long a batch id is remembered. A client that retries gives up long before. */
const BATCH_IDS_KEPT_US = 7 * 24 * 3600 * 1e6;

/**
 * Both stores in one SQLite database: one connection writes, and each store has one of its own to read with, so that
 * a slow list delays neither the check of a key nor a write.
 *
 * @throws DataDirectoryNotWritableError
 * @throws DataDirectoryInUseError when another collector runs on the directory
 * @throws DatabaseTooNewError when a later version of the collector wrote the database
 */
export async function openSqliteStorage(dataDir: string, clock: Clock): Promise<Storage> {
  const directory = prepareDataDirectory(dataDir);
  const path = directory.databasePath;
  const connections = [await openWriter(directory)];
  const close = async (): Promise<void> => {
    for (const connection of connections.toReversed()) await connection.close();
  };
  try {
    const [writer] = connections as [Connection];
    const nowUs = clock.nowUs();
    await migrate(writer, path, nowUs);
    await writer.write([
      { sql: 'DELETE FROM ingest_batches WHERE received_us < ?', rows: [[nowUs - BATCH_IDS_KEPT_US]] },
      // What waited for a version when the process died.
      { sql: 'DELETE FROM dataset_items WHERE staged IS NOT NULL', rows: [[]] },
    ]);
    const open = (): Promise<Connection> => Connection.open({ path, pragmas: READER_PRAGMAS });
    const [spanReader, metaReader] = await Promise.all([open(), open()]);
    connections.push(spanReader, metaReader);
    return {
      spans: new SqliteSpanStore(writer, spanReader),
      meta: new SqliteMetaStore(writer, metaReader),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openWriter({ path, databasePath, lockPath }: DataDirectory): Promise<Connection> {
  try {
    return await Connection.open({ path: databasePath, lockPath, pragmas: WRITER_PRAGMAS });
  } catch (error) {
    const isBusy = error instanceof StorageError && isSqliteBusy(error.cause);
    throw isBusy ? new DataDirectoryInUseError(path, error) : error;
  }
}

function isSqliteBusy(cause: unknown): boolean {
  const code = (cause as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && code.startsWith('SQLITE_BUSY');
}
