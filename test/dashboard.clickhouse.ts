/** Tests of the dashboard, on PostgreSQL with spans on ClickHouse's engine. */
import { ClickHouseServer } from '../libs/collector/test/support/clickhouse-server.js';
import { PostgresServer } from '../libs/collector/test/support/postgres-server.js';
import { stored } from './dashboard/start-dashboard.js';
import './dashboard-data.spec.js';
import './dashboard-datasets.spec.js';
import './dashboard-functions.spec.js';
import './dashboard-test-run.spec.js';
import './dashboard-traces.spec.js';

let servers: Promise<[PostgresServer, ClickHouseServer]> | undefined;

// Started with the first dashboard: hooks of the files above run before those of this one.
stored.open = async () => {
  servers ??= Promise.all([PostgresServer.start(), ClickHouseServer.start()]);
  const [postgres, clickhouse] = await servers;
  return { storage: await postgres.createDatabase(), spans: await clickhouse.createDatabase() };
};

afterAll(async () => {
  for (const server of (await servers) ?? []) await server.stop();
});
