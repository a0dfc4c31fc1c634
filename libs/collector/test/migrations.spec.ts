import { SystemClock } from '@dacapo/collector';
import { Connection } from '../src/storage/drivers/sqlite/connection.js';
import { prepareDataDirectory } from '../src/storage/drivers/sqlite/data-directory.js';
import { MIGRATIONS } from '../src/storage/drivers/sqlite/migrations/migrate.js';
import { openSqliteStorage } from '../src/storage/drivers/sqlite/open-sqlite-storage.js';
import { score } from './support/records.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const HISTORY = `CREATE TABLE schema_migrations(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_us INTEGER NOT NULL
) STRICT`;

/** A data directory as the collector of that schema left it, with a test run in it. */
async function directoryOf(schema: number): Promise<string> {
  const dataDir = temporaryDirectory();
  const { databasePath: path } = prepareDataDirectory(dataDir);
  const database = await Connection.open({ path, pragmas: ['journal_mode = WAL'] });
  const applied = MIGRATIONS.slice(0, schema);
  await database.write([
    ...[HISTORY, ...applied.flatMap(({ statements }) => statements)].map((sql) => ({ sql, rows: [[]] })),
    {
      sql: 'INSERT INTO schema_migrations VALUES (?, ?, 1)',
      rows: applied.map(({ id, name }) => [id, name]),
    },
    ...(schema < 3
      ? []
      : [
          {
            sql: `INSERT INTO test_runs(account_id, test_run_id, trace_function_key, created_us)
              VALUES ('acc', 'r', 'k', 1)`,
            rows: [[]],
          },
        ]),
  ]);
  await database.close();
  return dataDir;
}

describe('a database of an older collector', () => {
  it.each(MIGRATIONS.map(({ id, name }) => [id - 1, name] as const))(
    'with schema %d opens, and goes on with %s',
    async (schema) => {
      const storage = await openSqliteStorage(await directoryOf(schema), new SystemClock());
      const runs = await storage.meta.testRuns.list('acc', {}, { limit: 9 });
      expect(runs.map(({ id }) => id)).toEqual(schema < 3 ? [] : ['r']);
      const given = score();
      await storage.spans.ingest('acc', { spans: [], traces: [], scores: [given], receivedAt: '' });
      expect(await storage.spans.listScores('acc', {}, { limit: 9 })).toEqual([given]);
      await storage.close();
    },
  );
});
