import type { Dialect } from '../dialect.js';
import { ACCOUNT_TABLES } from './accounts.js';
import { datasetTables } from './datasets.js';
import { DELETION_TABLES } from './deletions.js';
import { FORWARD_TABLES } from './forwards.js';
import { FUNCTION_TABLES } from './functions.js';
import { INDEX_TABLES } from './indexes.js';
import { mediaTables } from './media.js';
import { scoreTables } from './scores.js';
import { SKIPPED_SPAN_TABLES } from './skipped-spans.js';
import { testRunTables } from './test-runs.js';
import { TRANSFER_TABLES } from './transfers.js';

/**
 * The tables of `MetaStore` with SQLite's types: INTEGER (also for booleans and assigned numbers), REAL, TEXT (sorted by its bytes) and
 * BLOB. Other engines translate them.
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
    ...FORWARD_TABLES,
    ...SKIPPED_SPAN_TABLES,
    ...TRANSFER_TABLES,
  ];
}
