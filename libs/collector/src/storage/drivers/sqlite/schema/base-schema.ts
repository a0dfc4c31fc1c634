import { ACCOUNT_TABLES } from './accounts.js';
import { COMMIT_TABLES } from './commits.js';
import { DATASET_TABLES } from './datasets.js';
import { DELETION_TABLES } from './deletions.js';
import { FACET_TABLES } from './facets.js';
import { FUNCTION_TABLES } from './functions.js';
import { INDEX_TABLES } from './indexes.js';
import { METRIC_TABLES } from './metrics.js';
import type { Migration } from './migration.js';
import { SCORE_TABLES } from './scores.js';
import { SESSION_TABLES } from './sessions.js';
import { SPAN_TABLES } from './spans.js';
import { TEST_RUN_TABLES } from './test-runs.js';
import { TEXT_TABLES } from './text-index.js';
import { TRACE_TABLES } from './traces.js';

/** The tables of a new database. After the first release it never changes: a change is a further migration. */
export const BASE_SCHEMA: Migration = {
  id: 1,
  name: 'base',
  statements: [
    ...COMMIT_TABLES,
    ...ACCOUNT_TABLES,
    ...SPAN_TABLES,
    ...TRACE_TABLES,
    ...SESSION_TABLES,
    ...SCORE_TABLES,
    ...FACET_TABLES,
    ...TEXT_TABLES,
    ...METRIC_TABLES,
    ...DATASET_TABLES,
    ...TEST_RUN_TABLES,
    ...INDEX_TABLES,
    ...FUNCTION_TABLES,
    ...DELETION_TABLES,
  ],
};
