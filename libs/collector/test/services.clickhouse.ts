/** The tests of services, with their spans on ClickHouse's engine. Those without spans use SQLite alone, and `npm test` runs them. */
import { openClickHouseSpans } from '../src/storage/engines/clickhouse/open-clickhouse-spans.js';
import { openSqliteStorage } from '../src/storage/engines/sqlite/open-sqlite-storage.js';
import { ClickHouseServer } from './support/clickhouse-server.js';
import { storeServicesIn } from './support/service-databases.js';
import './support/span-service-tests.js';

storeServicesIn(
  () => ClickHouseServer.start(),
  async (address, { dataDir, clock }) =>
    openClickHouseSpans(address, await openSqliteStorage(dataDir, clock), clock),
);
