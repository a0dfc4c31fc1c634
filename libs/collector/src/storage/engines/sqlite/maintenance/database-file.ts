import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseDamagedError, DatabaseForeignError, DatabaseNotFoundError } from '../../../../errors.js';
import { Connection } from '../connection.js';
import { checkHeader, isHeld } from '../data-directory.js';
import { checkHistory, readHistory } from '../schema/migrate.js';
import { findDamage } from './check-database.js';

export interface DatabaseFacts {
  path: string;
  /** Size of all pages, including those that are only in the log. */
  bytes: number;
  /** Id of the newest applied migration. */
  schema: number;
  spans: number;
}

/** @throws DatabaseNotFoundError if the directory has none */
export function databaseIn(dataDir: string): string {
  const path = join(resolve(dataDir), 'dacapo.db');
  if (!existsSync(path)) throw new DatabaseNotFoundError(path);
  return path;
}

/**
 * Reads facts about a database without changing it.
 *
 * @throws DatabaseNotFoundError
 * @throws DatabaseForeignError
 * @throws DatabaseLostError
 * @throws DatabaseTooNewError
 * @throws DatabaseUnreleasedError
 */
export async function describeDatabase(path: string): Promise<DatabaseFacts> {
  if (!existsSync(path)) throw new DatabaseNotFoundError(path);
  if (!isHeld(path)) checkHeader(path);
  const database = await Connection.open({ path, pragmas: ['query_only = ON'] });
  try {
    const tables = await database.all<{ name: string }>('SELECT name FROM sqlite_schema');
    if (!tables.some(({ name }) => name === 'schema_migrations')) throw new DatabaseForeignError(path);
    const schema = checkHistory(await readHistory(database), path);
    // The file is shorter than the database while pages are only in the log.
    const [row] = await database.all<{ spans: number; bytes: number }>(
      `SELECT (SELECT count(*) FROM spans) AS spans, page_count * page_size AS bytes
        FROM pragma_page_count, pragma_page_size`,
    );
    const { spans, bytes } = row ?? { spans: 0, bytes: 0 };
    return { path, bytes, schema, spans };
  } finally {
    await database.close();
  }
}

/**
 * @throws DatabaseDamagedError naming the first finding
 * @throws what {@link describeDatabase} throws
 */
export async function verifyDatabase(path: string): Promise<DatabaseFacts> {
  const facts = await describeDatabase(path);
  const [finding] = await findDamage(path);
  if (finding !== undefined) throw new DatabaseDamagedError(`${path}: ${finding}`);
  return facts;
}
