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

/** The connections of one collector, without those for locks. */
export const DEFAULT_CONNECTIONS = 20;

/** Each holds one lock. Nothing waits for a lock while it holds another. */
export const LOCK_CONNECTIONS = 5;

/**
 * PostgreSQL has no hints. Without the first two, it may scan a whole table because it expects an early match. LZ4, where PostgreSQL has it,
 * compresses long texts with a fraction of the CPU of the default.
 */
const SPAN_SETTINGS = `SET enable_seqscan = off; SET jit = off;
  SELECT set_config(name, 'lz4', false) FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY(enumvals)`;

export interface PostgresOptions {
  /** Half are for spans, the others for everything else. Default: {@link DEFAULT_CONNECTIONS}. */
  connections?: number;
  /** The clock of this machine. With it and a logger, the storage has the clock of the database. */
  clock?: Readonly<Clock>;
  logger?: Readonly<CollectorLogger>;
  bounds?: StoreBounds;
  /** Interval between two checks for work behind ingest. */
  behindEveryMs?: number;
}

/**
 * Opens both stores in a PostgreSQL database and creates missing tables. Each store has its own connections, so that a slow list does not
 * delay the check of a key. Locks have their own, too, so that work with a lock can always continue.
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
    settings: SPAN_SETTINGS,
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
