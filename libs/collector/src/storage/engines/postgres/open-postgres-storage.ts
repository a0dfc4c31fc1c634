import { MetaStore } from '../../meta/meta-store.js';
import type { Storage } from '../../storage.js';
import { PostgresConnection } from './connection.js';
import { PostgresLocks } from './postgres-locks.js';
import { PostgresMetaDatabase } from './postgres-meta-database.js';
import { createSchema } from './schema.js';
import { PostgresSpanStore } from './spans/postgres-span-store.js';

/**
 * Opens both stores in a PostgreSQL database, and creates their tables there when the database has none. Each has connections of its own, so
 * that a slow list delays no check of a key.
 *
 * @param address such as `postgres://user@host/database`
 * @throws StorageError
 */
export async function openPostgresStorage(address: string): Promise<Storage> {
  const forSpans = PostgresConnection.open(address);
  const forMeta = PostgresConnection.open(address);
  const close = async (): Promise<void> => {
    await forSpans.close();
    await forMeta.close();
  };
  try {
    await forMeta.withClient(createSchema);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    spans: new PostgresSpanStore(forSpans),
    meta: new MetaStore(new PostgresMetaDatabase(forMeta)),
    locks: new PostgresLocks(forMeta),
    close,
  };
}
