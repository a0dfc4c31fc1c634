import type { Dialect } from '../dialect.js';
import { metaTables } from './meta-tables.js';

/** A table whose rows move to another database unchanged. */
export interface CopiedTable {
  readonly name: string;
  /** Columns that identify a row. Rows are read in their order. */
  readonly key: readonly string[];
  /** A column with numbers that the engine assigns. */
  readonly numbered?: string;
}

/** Ids of batches that clients may send again. Not a table of `MetaStore`, but every engine has it. */
const BATCHES: CopiedTable = { name: 'ingest_batches', key: ['account_id', 'batch_id'] };

/** The tables of `MetaStore` and the ids of batches, without the migration's own table. */
export function listCopiedTables(dialect: Dialect): CopiedTable[] {
  const tables = metaTables(dialect).flatMap((sql) => {
    const name = /^CREATE TABLE (\w+)/.exec(sql)?.[1];
    return name === undefined || name === 'transfers' ? [] : [readTable(name, sql)];
  });
  return [...tables, BATCHES];
}

function readTable(name: string, sql: string): CopiedTable {
  const numbered = /(\w+) INTEGER PRIMARY KEY/.exec(sql)?.[1];
  if (numbered !== undefined) return { name, key: [numbered], numbered };
  const one = /(\w+) \w+ PRIMARY KEY/.exec(sql)?.[1];
  const several = /(?:PRIMARY KEY|UNIQUE)\(([^)]+)\)/.exec(sql)?.[1];
  const key = one === undefined ? several?.split(', ') : [one];
  if (key === undefined) throw new TypeError(`The table ${name} has no key`);
  return { name, key };
}
