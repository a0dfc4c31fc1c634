import { DatabaseTooNewError, DatabaseUnreleasedError } from '../../../../errors.js';
import type { Connection, Step } from '../connection.js';
import { BASE_SCHEMA } from './base-schema.js';
import type { Migration } from './migration.js';

/** Ordered by id, from 1 without gaps. */
export const MIGRATIONS: readonly Migration[] = [BASE_SCHEMA];

const REPORT_EVERY_MS = 5_000;

const HISTORY = `CREATE TABLE IF NOT EXISTS schema_migrations(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_us INTEGER NOT NULL
) STRICT`;

export interface MigrateOptions {
  /** Path of the database, for messages. */
  path: string;
  nowUs: number;
  /** Receives the progress of an upgrade, one sentence a call. */
  report?: (message: string) => void;
  migrations?: readonly Migration[] | undefined;
}

/**
 * Upgrades a database to the newest schema: a new one in one transaction, an older one step by step, so that a stopped upgrade continues
 * at the next start.
 *
 * @throws DatabaseTooNewError if a later version of the collector wrote it
 * @throws DatabaseUnreleasedError if a version from before the first release wrote it
 */
export async function migrate(database: Connection, options: MigrateOptions): Promise<void> {
  const { path, nowUs, report = () => undefined, migrations = MIGRATIONS } = options;
  await database.write([{ sql: HISTORY, rows: [[]] }]);
  const newest = checkHistory(await readHistory(database), path, migrations);
  const missing = migrations.filter(({ id }) => id > newest).map((migration) => toSteps(migration, nowUs));
  if (missing.length === 0) return;
  if (newest === 0) {
    await database.write(missing.flat());
    return;
  }
  const begun = performance.now();
  const seconds = (): string => `${((performance.now() - begun) / 1000).toFixed(1)} s`;
  report(
    `Upgrading the database from schema ${newest} to ${migrations.length}. This can take a minute per million spans. A stopped upgrade continues at the next start.`,
  );
  for (const [index, steps] of missing.entries()) {
    const timer = setInterval(() => {
      report(`Upgrade step ${index + 1} of ${missing.length} is running (${seconds()}).`);
    }, REPORT_EVERY_MS);
    try {
      await database.write(steps);
    } finally {
      clearInterval(timer);
    }
  }
  report(`Upgraded the database to schema ${migrations.length} in ${seconds()}.`);
}

interface AppliedMigration {
  id: number;
  name: string;
}

export async function readHistory(database: Connection): Promise<AppliedMigration[]> {
  return await database.all<AppliedMigration>('SELECT id, name FROM schema_migrations ORDER BY id');
}

/** Returns the id of the newest applied migration, 0 for a new database. */
export function checkHistory(
  history: readonly AppliedMigration[],
  path: string,
  migrations: readonly Migration[] = MIGRATIONS,
): number {
  const [first] = history;
  if (first !== undefined && first.name !== BASE_SCHEMA.name) throw new DatabaseUnreleasedError(path);
  const newest = history.at(-1)?.id ?? 0;
  if (newest > migrations.length) throw new DatabaseTooNewError(path, newest, migrations.length);
  return newest;
}

function toSteps({ id, name, statements }: Migration, nowUs: number): Step[] {
  return [
    ...statements.map((sql) => ({ sql, rows: [[]] })),
    {
      sql: 'INSERT INTO schema_migrations(id, name, applied_us) VALUES (?, ?, ?)',
      rows: [[id, name, nowUs]],
    },
  ];
}
