import { sha256 } from '../../../../sha256.js';
import { metaTables } from '../../../meta/schema/meta-tables.js';
import { SQLITE_DIALECT } from '../dialect.js';
import { COMMIT_TABLES } from './commits.js';
import { FACET_TABLES } from './facets.js';
import { LATE_RECORD_TRIGGERS } from './late-records.js';
import { METRIC_TABLES } from './metrics.js';
import type { Migration } from './migration.js';
import { SESSION_TABLES } from './sessions.js';
import { SPAN_TABLES } from './spans.js';
import { TEXT_TABLES } from './text-index.js';
import { TRACE_TABLES } from './traces.js';

const STATEMENTS = [
  ...COMMIT_TABLES,
  ...SPAN_TABLES,
  ...TRACE_TABLES,
  ...SESSION_TABLES,
  ...metaTables(SQLITE_DIALECT),
  ...FACET_TABLES,
  ...TEXT_TABLES,
  ...METRIC_TABLES,
  ...LATE_RECORD_TRIGGERS,
];

/**
 * The tables of a new database. After the first release it never changes, and a change is another migration. Until then, its name contains
 * the hash of its statements, so that a database of another commit is refused.
 */
export const BASE_SCHEMA: Migration = {
  id: 1,
  name: `base ${sha256(STATEMENTS.join('\n')).slice(0, 12)}`,
  statements: STATEMENTS,
};
