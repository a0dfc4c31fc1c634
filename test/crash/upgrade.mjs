/** Upgrades a data directory with two test migrations. Run as `node upgrade.mjs <data directory>`. */
import { createRequire } from 'node:module';
import process, { argv } from 'node:process';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const DIST = '../../libs/collector/dist/cjs';
const { SystemClock } = require(`${DIST}/clock.js`);
const { openSqliteStorage } = require(`${DIST}/storage/engines/sqlite/open-sqlite-storage.js`);
const { MIGRATIONS } = require(`${DIST}/storage/engines/sqlite/schema/migrate.js`);

/** Each migration adds its number to every span, which reveals a migration that ran twice. */
export const NEWER = [
  ...MIGRATIONS,
  {
    id: MIGRATIONS.length + 1,
    name: 'first',
    statements: [
      'ALTER TABLE spans ADD COLUMN steps INTEGER NOT NULL DEFAULT 0',
      'UPDATE spans SET steps = steps + 1',
    ],
  },
  { id: MIGRATIONS.length + 2, name: 'second', statements: ['UPDATE spans SET steps = steps + 10'] },
];
export const STEPS_OF_A_SPAN = 11;

if (argv[1] === fileURLToPath(import.meta.url)) {
  process.send('begins');
  const storage = await openSqliteStorage(argv[2], new SystemClock(), { migrations: NEWER });
  await storage.close();
  process.disconnect();
}
