import type { Clock } from '../../../clock.js';
import type { Storage } from '../../storage.js';
import type { ClickHouseAddress } from './address.js';
import { ClickHouseSpanStore } from './clickhouse-span-store.js';
import { ClickHouseConnection } from './connection.js';
import { createSchema } from './schema.js';

/**
 * Stores spans in ClickHouse and everything else in the given storage. Creates missing tables.
 *
 * @param storage is closed together with the result, or if ClickHouse cannot be opened
 * @throws StorageError
 */
export async function openClickHouseSpans(
  address: ClickHouseAddress,
  storage: Storage,
  clock: Readonly<Clock>,
): Promise<Storage> {
  let connection: ClickHouseConnection | undefined;
  const close = async (): Promise<void> => {
    await connection?.close();
    await storage.close();
  };
  try {
    connection = await ClickHouseConnection.open(address);
    await createSchema(connection);
  } catch (error) {
    await close();
    throw error;
  }
  return { ...storage, spans: new ClickHouseSpanStore(connection, storage.meta, clock), close };
}
