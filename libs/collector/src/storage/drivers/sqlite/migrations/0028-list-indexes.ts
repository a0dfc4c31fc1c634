import type { Migration } from './migration.js';

/** Virtual: lists have last what does not tell the amount. Of a column, unlike an expression, SQLite seeks a place among equal ones. */
const ORDERS = [
  ['duration', 'duration_ms'],
  ['tokens', 'tokens'],
  ['cost', 'cost_usd'],
] as const;

/**
 * Each list walks along one index, and tests each condition by another. Traces that ended well are met on any way: indexes by outcome
 * have the others alone. Scores that say that they do not apply are no longer among those that lists look for.
 */
export const listIndexes: Migration = {
  id: 28,
  name: 'list-indexes',
  statements: [
    ...ORDERS.flatMap(([name, column]) => [
      `DROP INDEX traces_by_${name}`,
      `ALTER TABLE traces ADD COLUMN ${name}_order REAL GENERATED ALWAYS AS (coalesce(${column}, -1)) VIRTUAL`,
      `CREATE INDEX traces_by_${name} ON traces(account_id, ${name}_order DESC, trace_id DESC)`,
    ]),
    'DROP INDEX traces_by_outcome',
    'DROP INDEX recorded_traces_by_outcome',
    `CREATE INDEX traces_not_ok ON traces(account_id, outcome, started_us DESC, trace_id DESC) WHERE outcome <> 'ok'`,
    `CREATE INDEX recorded_traces_not_ok ON traces(account_id, outcome, started_us DESC, trace_id DESC)
      WHERE outcome <> 'ok' AND test_run_id IS NULL`,
    'DROP INDEX scores_by_amount',
    `CREATE INDEX scores_by_amount ON scores(account_id, target, name, amount, target_id)
      WHERE is_latest = 1 AND is_given = 1`,
    'DROP INDEX scores_by_value',
    `CREATE INDEX scores_by_value ON scores(account_id, target, name, substr(record -> '$.value', 1, 100), target_id)
      WHERE is_latest = 1 AND is_given = 1`,
  ],
};
