import type { Dialect } from '../dialect.js';
import { metaTables } from './meta-tables.js';

/** A table whose rows move to another database as they are. */
export interface CopiedTable {
  readonly name: string;
  /** Columns that identify a row, in the order in which rows are read. */
  readonly key: readonly string[];
  /** A column whose numbers the engine gives out. */
  readonly numbered?: string;
}

/** In the database of every engine, though no table of `MetaStore`: ids of batches that clients may send again. */
const BATCHES: CopiedTable = { name: 'ingest_batches', key: ['account_id', 'batch_id'] };

/** The tables of `MetaStore` and the ids of batches, without what a migration notes for itself. */
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
