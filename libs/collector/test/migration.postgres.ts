import { describeMigration } from './support/migration-tests.js';
import { PostgresServer } from './support/postgres-server.js';
import { temporaryDirectory } from './support/temporary-directory.js';

let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.start();
});

afterAll(() => server.stop());

describeMigration('SQLite to PostgreSQL', async () => ({
  from: { dataDir: temporaryDirectory() },
  to: { storage: await server.createDatabase() },
}));

describeMigration(
  'PostgreSQL to SQLite',
  async () => ({
    from: { storage: await server.createDatabase() },
    to: { dataDir: temporaryDirectory() },
  }),
  { isQuick: true },
);
