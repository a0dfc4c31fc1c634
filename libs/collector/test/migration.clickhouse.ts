import { ClickHouseServer } from './support/clickhouse-server.js';
import { describeMigration } from './support/migration-tests.js';
import { temporaryDirectory } from './support/temporary-directory.js';

let server: ClickHouseServer;

beforeAll(async () => {
  server = await ClickHouseServer.start();
});

afterAll(() => server.stop());

describeMigration(
  'SQLite to SQLite with ClickHouse',
  async () => ({
    from: { dataDir: temporaryDirectory() },
    to: { dataDir: temporaryDirectory(), spans: await server.createDatabase() },
  }),
  { isQuick: true },
);

describeMigration(
  'SQLite with ClickHouse to SQLite',
  async () => ({
    from: { dataDir: temporaryDirectory(), spans: await server.createDatabase() },
    to: { dataDir: temporaryDirectory() },
  }),
  { isQuick: true },
);
