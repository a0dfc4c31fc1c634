import type { Clock } from '../../../clock.js';
import type { CollectorLogger } from '../../../logger.js';
import { MetaStore } from '../../meta/meta-store.js';
import type { Storage } from '../../storage.js';
import { maskAddress } from '../../mask-address.js';
import { PostgresConnection } from './connection.js';
import { DatabaseClock } from './database-clock.js';
import { PostgresLocks } from './postgres-locks.js';
import { PostgresMetaDatabase } from './postgres-meta-database.js';
import { PostgresRateLimits } from './postgres-rate-limits.js';
import { migrate } from './schema.js';
import { PostgresSpanStore, type StoreBounds } from './spans/postgres-span-store.js';
import { WorkBehindIngest } from './spans/work-behind-ingest.js';

/** Of one collector, for statements. */
export const DEFAULT_CONNECTIONS = 20;

/** Each holds one lock, and nothing waits for one while it holds another. */
export const LOCK_CONNECTIONS = 5;

/** PostgreSQL takes no hints: without these, it may read a whole table where it expects to find something soon. */
const ALONG_INDEXES = 'SET enable_seqscan = off; SET jit = off';

export interface PostgresOptions {
  /** Half of them for spans, the others for everything else. Default: {@link DEFAULT_CONNECTIONS}. */
  connections?: number;
  /** Of this machine. With it, the storage has a clock, which is the database's. */
  clock?: Readonly<Clock>;
  logger?: Readonly<CollectorLogger>;
  bounds?: StoreBounds;
  /** Pause between two looks for work behind ingest. */
  behindEveryMs?: number;
}

/**
 * Opens both stores in a PostgreSQL database, and creates their tables there when the database has none. Each has connections of its own, so
 * that a slow list delays no check of a key; so have locks, so that work which has one always gets on.
 *
 * @param address such as `postgres://user@host/database`
 * @throws DatabaseTooNewError, DatabaseUnreleasedError, StorageError
 */
export async function openPostgresStorage(
  address: string,
  { connections = DEFAULT_CONNECTIONS, clock: machine, logger, bounds, behindEveryMs }: PostgresOptions = {},
): Promise<Storage> {
  const forSpans = new PostgresConnection(address, {
    connections: Math.ceil(connections / 2),
    settings: ALONG_INDEXES,
  });
  const forMeta = new PostgresConnection(address, { connections: Math.floor(connections / 2) });
  const forLocks = new PostgresConnection(address, { connections: LOCK_CONNECTIONS });
  const closeAll = async (): Promise<void> => {
    for (const connection of [forSpans, forMeta, forLocks]) await connection.close();
  };
  try {
    await migrate(forMeta, maskAddress(address));
    const clock = machine && logger && (await DatabaseClock.start(forMeta, machine, logger));
    const behind = new WorkBehindIngest(forSpans, behindEveryMs);
    return {
      spans: new PostgresSpanStore(forSpans, bounds),
      meta: new MetaStore(new PostgresMetaDatabase(forMeta)),
      locks: new PostgresLocks(forLocks),
      rateLimits: new PostgresRateLimits(forMeta),
      ...(clock !== undefined && { clock }),
      close: async () => {
        clock?.stop();
        await behind.stop();
        await closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}
