import { type MigrationProgress, migrateStorage } from '@dacapo/collector';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describeMigration } from './support/migration-tests.js';
import { PostgresServer } from './support/postgres-server.js';
import { span } from './support/records.js';
import { Service, SILENT } from './support/service.js';
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

it('a migration whose source gets a batch while both are compared fails, and no collector starts on the copy', async () => {
  const from = { storage: await server.createDatabase() };
  const to = { dataDir: temporaryDirectory() };
  const service = await Service.start(from);
  const tenant = await service.addTenant();
  await tenant.store(span());
  await service.close();
  let isNoted = false;
  const noteBatch = ({ step }: MigrationProgress): void => {
    if (isNoted || step !== 'compare') return;
    isNoted = true;
    // Reports do not wait, so a process does it.
    execFileSync(process.execPath, [
      join(__dirname, 'support/note-batch.cjs'),
      from.storage,
      tenant.accountId,
    ]);
  };
  await expect(migrateStorage({ from, to, logger: SILENT, onProgress: noteBatch })).rejects.toMatchObject({
    code: 'COLLECTOR_STORAGES_DIFFER',
    message: expect.stringContaining('a collector wrote to the source meanwhile'),
  });
  await expect(Service.start(to)).rejects.toMatchObject({ code: 'COLLECTOR_STORAGE_HALF_COPIED' });
});
