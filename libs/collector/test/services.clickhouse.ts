/** The tests of services, with their spans on ClickHouse's engine. */
import { openClickHouseSpans } from '../src/storage/engines/clickhouse/open-clickhouse-spans.js';
import { openInMemoryStorage } from '../src/storage/engines/sqlite/open-in-memory-storage.js';
import { ClickHouseServer } from './support/clickhouse-server.js';
import { Service } from './support/service.js';
import './support/service-tests.js';

let server: Promise<ClickHouseServer> | undefined;

// Started with the first service: the tests of the files above begin before hooks of this one.
Service.storage = async ({ clock }) => {
  server ??= ClickHouseServer.start();
  const address = await (await server).createDatabase();
  return openClickHouseSpans(address, await openInMemoryStorage(clock), clock);
};

afterAll(async () => {
  await (await server)?.stop();
});
