import type { Dialect } from '../dialect.js';
import { ACCOUNT_TABLES } from './accounts.js';
import { datasetTables } from './datasets.js';
import { DELETION_TABLES } from './deletions.js';
import { FUNCTION_TABLES } from './functions.js';
import { INDEX_TABLES } from './indexes.js';
import { mediaTables } from './media.js';
import { scoreTables } from './scores.js';
import { testRunTables } from './test-runs.js';
import { TRANSFER_TABLES } from './transfers.js';

/**
 * The tables of `MetaStore`, with SQLite's types: INTEGER, also for booleans and for numbers that the engine gives out, REAL, TEXT, which
 * sorts by its bytes, and BLOB. Other engines translate them.
 */
export function metaTables(dialect: Dialect): string[] {
  return [
    ...ACCOUNT_TABLES,
    ...scoreTables(dialect),
    ...datasetTables(dialect),
    ...testRunTables(dialect),
    ...INDEX_TABLES,
    ...FUNCTION_TABLES,
    ...DELETION_TABLES,
    ...mediaTables(dialect),
    ...TRANSFER_TABLES,
  ];
}
