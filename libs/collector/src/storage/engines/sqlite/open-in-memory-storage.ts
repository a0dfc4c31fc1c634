import type { Clock } from '../../../clock.js';
import type { CollectorLogger } from '../../../logger.js';
import type { StorageError } from '../../../errors.js';
import { MetaStore } from '../../meta/meta-store.js';
import type { Storage } from '../../storage.js';
import { Connection, type ConnectionOptions } from './connection.js';
import { MetricsRollup } from './metrics/metrics-rollup.js';
import { PacedDeletes } from './paced-deletes.js';
import { ReaderPool } from './reader-pool.js';
import { METHODS } from './run-methods.js';
import { migrate } from './schema/migrate.js';
import { SqliteMetaDatabase } from './sqlite-meta-database.js';
import { SqliteSpanStore } from './spans/sqlite-span-store.js';
import { TextIndex } from './spans/text-index.js';

const PATH = ':memory:';

/** Without a file there is no log to empty. */
const NO_LOG = { copy: () => Promise.resolve(), empty: () => Promise.resolve(true) };

/** Without a file there is nothing to scrub. */
const NO_FILE = { scrub: () => Promise.resolve(undefined) };

/** Without a disk there is nothing to reserve. */
const NO_RESERVE = {
  forDeletions: (writer: Connection) => writer,
  spend: <T>(write: () => Promise<T>) => write(),
  refuseWhileUsed: () => undefined,
  takeBack: () => Promise.resolve(),
};

/**
 * Opens both stores in memory, for tests and demos. One connection reads and writes, so a slow list delays everything else.
 */
export async function openInMemoryStorage(
  clock: Readonly<Clock>,
  logger?: Readonly<CollectorLogger>,
): Promise<Storage> {
  let onLost: ConnectionOptions['onLost'];
  const lost = new Promise<StorageError>((resolve) => {
    onLost = resolve;
  });
  const connection = await Connection.open({
    path: PATH,
    pragmas: ['temp_store = MEMORY'],
    mapper: TextIndex.MAPPER,
    methods: METHODS,
    logger,
    onLost,
    // The data ends with the thread, so it is not reopened.
    pausesMs: [],
  });
  await migrate(connection, { path: PATH, nowUs: clock.nowUs() });
  const reader = ReaderPool.over(connection);
  const rollup = new MetricsRollup(connection, reader);
  const texts = new TextIndex(connection, reader);
  const deletes = new PacedDeletes(connection, connection, reader);
  const health = { check: () => reader.all('SELECT 1').then(() => ({})) };
  return {
    spans: new SqliteSpanStore(connection, reader, rollup, texts, deletes, NO_FILE, NO_RESERVE),
    meta: new MetaStore(new SqliteMetaDatabase(connection, reader, health, NO_LOG, NO_RESERVE)),
    lost,
    close: async () => {
      await rollup.stop();
      await texts.stop();
      await reader.close();
    },
  };
}
