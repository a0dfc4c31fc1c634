import { errorMessage } from './errors.js';
import type { CollectorOptions } from './options.js';
import { type DatabaseCheck, fails } from './storage/database-check.js';
import { toClickHouseAddress } from './storage/engines/clickhouse/address.js';
import { toPostgresAddress } from './storage/engines/postgres/address.js';

export type DatabasesToCheck = Pick<CollectorOptions, 'storageConnections'> & {
  /** The address of PostgreSQL. */
  storage?: string;
  /** The address of ClickHouse. */
  spans?: string;
};

/**
 * Finds out whether the database servers of a collector suit it, without changing anything. A server that does not answer fails its check.
 *
 * @throws InvalidOptionError when an address is invalid
 */
export async function checkDatabases({
  storage,
  spans,
  storageConnections,
}: DatabasesToCheck): Promise<DatabaseCheck[]> {
  const postgres = storage === undefined ? undefined : toPostgresAddress(storage);
  const clickHouse = spans === undefined ? undefined : toClickHouseAddress(spans);
  const checks: DatabaseCheck[] = [];
  if (postgres !== undefined) {
    const { checkPostgres } = await import('./storage/engines/postgres/check-server.js');
    checks.push(...(await orFails('PostgreSQL', checkPostgres(postgres, storageConnections))));
  }
  if (clickHouse !== undefined) {
    const { checkClickHouse } = await import('./storage/engines/clickhouse/check-server.js');
    checks.push(...(await orFails('ClickHouse', checkClickHouse(clickHouse))));
  }
  return checks;
}

function orFails(name: string, checks: Promise<DatabaseCheck[]>): Promise<DatabaseCheck[]> {
  return checks.catch((error: unknown) => [fails(name, errorMessage(error))]);
}
