import { DatabaseTooNewError, DatabaseUnreleasedError, SystemClock } from '@dacapo/collector';
import { join } from 'node:path';
import { Connection } from '../src/storage/engines/sqlite/connection.js';
import { describeDatabase } from '../src/storage/engines/sqlite/maintenance/database-file.js';
import { openSqliteStorage } from '../src/storage/engines/sqlite/open-sqlite-storage.js';
import { MIGRATIONS } from '../src/storage/engines/sqlite/schema/migrate.js';
import type { Migration } from '../src/storage/engines/sqlite/schema/migration.js';
import { span } from './support/records.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const addRegion: Migration = {
  id: MIGRATIONS.length + 1,
  name: 'region',
  statements: [`ALTER TABLE spans ADD COLUMN region TEXT NOT NULL DEFAULT 'unknown'`],
};
const failing: Migration = {
  id: MIGRATIONS.length + 2,
  name: 'failing',
  statements: ['UPDATE spans SET region = NULL'],
};

async function directoryWithSpan(): Promise<string> {
  const dataDir = temporaryDirectory();
  const storage = await openSqliteStorage(dataDir, new SystemClock());
  const stored = span();
  await storage.spans.ingest('acc', { spans: [stored], traces: [], receivedAt: stored.started_at });
  await storage.close();
  return dataDir;
}

function recordWarnings() {
  const reports: string[] = [];
  const ignore = (): void => undefined;
  return {
    logger: { info: ignore, warn: (message: string) => reports.push(message), error: ignore },
    reports,
  };
}

async function query<Row extends object>(dataDir: string, sql: string): Promise<Row[]> {
  const database = await Connection.open({ path: join(dataDir, 'dacapo.db'), pragmas: [] });
  try {
    return await database.all<Row>(sql);
  } finally {
    await database.close();
  }
}

const readRegions = (dataDir: string) => query<{ region: string }>(dataDir, 'SELECT region FROM spans');
const readSchema = async (dataDir: string): Promise<number> =>
  (await describeDatabase(join(dataDir, 'dacapo.db'))).schema;

describe('migrations', () => {
  it('are numbered from 1 without gaps', () => {
    expect(MIGRATIONS.map(({ id }) => id)).toEqual(MIGRATIONS.map((_, index) => index + 1));
  });

  it('upgrade a database, keep its rows and report the progress', async () => {
    const dataDir = await directoryWithSpan();
    const { logger, reports } = recordWarnings();
    const migrations = [...MIGRATIONS, addRegion];
    await (await openSqliteStorage(dataDir, new SystemClock(), { logger, migrations })).close();
    expect(await readRegions(dataDir)).toEqual([{ region: 'unknown' }]);
    expect(reports).toEqual([
      expect.stringContaining(`from schema ${MIGRATIONS.length} to ${addRegion.id}`),
      expect.stringContaining(`Upgraded the database to schema ${addRegion.id}`),
    ]);
  });

  it('leave a current database as it is, without a report', async () => {
    const dataDir = await directoryWithSpan();
    const { logger, reports } = recordWarnings();
    await (await openSqliteStorage(dataDir, new SystemClock(), { logger })).close();
    expect(await readSchema(dataDir)).toBe(MIGRATIONS.length);
    expect(reports).toEqual([]);
  });

  it('keep the finished steps of an upgrade when a later step fails', async () => {
    const dataDir = await directoryWithSpan();
    const migrations = [...MIGRATIONS, addRegion, failing];
    await expect(openSqliteStorage(dataDir, new SystemClock(), { migrations })).rejects.toThrow(/NOT NULL/);
    expect(await readRegions(dataDir)).toEqual([{ region: 'unknown' }]);
    const [newest] = await query(dataDir, 'SELECT max(id) AS id FROM schema_migrations');
    expect(newest).toEqual({ id: addRegion.id });
  });

  it('refuse a database of a later version', async () => {
    const dataDir = await directoryWithSpan();
    const migrations = [...MIGRATIONS, addRegion];
    await (await openSqliteStorage(dataDir, new SystemClock(), { migrations })).close();
    await expect(openSqliteStorage(dataDir, new SystemClock())).rejects.toThrow(DatabaseTooNewError);
    await expect(readSchema(dataDir)).rejects.toThrow(DatabaseTooNewError);
  });
});

describe('a database from before the first release', () => {
  const makeUnreleased = async (): Promise<string> => {
    const dataDir = await directoryWithSpan();
    await query(dataDir, `UPDATE schema_migrations SET name = 'spans' WHERE id = 1`);
    return dataDir;
  };

  it('is rejected, with what can be moved and how', async () => {
    const opened = openSqliteStorage(await makeUnreleased(), new SystemClock());
    await expect(opened).rejects.toThrow(DatabaseUnreleasedError);
    await expect(opened).rejects.toThrow(/run `dacapo export` and `dacapo datasets export`/);
    await expect(opened).rejects.toThrow(/test runs, indexes and functions cannot be moved/);
  });

  it('is refused by checks and backups', async () => {
    await expect(readSchema(await makeUnreleased())).rejects.toThrow(DatabaseUnreleasedError);
  });

  it('keeps its data', async () => {
    const dataDir = await makeUnreleased();
    await openSqliteStorage(dataDir, new SystemClock()).catch(() => undefined);
    expect(await query(dataDir, 'SELECT count(*) AS spans FROM spans')).toEqual([{ spans: 1 }]);
  });
});
