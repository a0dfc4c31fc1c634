import { migrateStorage } from '@dacapo/collector';
import { describeMigration } from './support/migration-tests.js';
import { temporaryDirectory } from './support/temporary-directory.js';

describeMigration('SQLite to SQLite', () =>
  Promise.resolve({ from: { dataDir: temporaryDirectory() }, to: { dataDir: temporaryDirectory() } }),
);

it('a migration is refused when there is nothing to copy, or source and target are one', async () => {
  const from = { dataDir: temporaryDirectory() };
  const missing = migrateStorage({ from, to: { dataDir: temporaryDirectory() } });
  await expect(missing).rejects.toMatchObject({ code: 'COLLECTOR_DATABASE_NOT_FOUND' });
  await expect(migrateStorage({ from, to: from })).rejects.toMatchObject({
    code: 'COLLECTOR_INVALID_OPTION',
  });
});
