import type { Migration } from './migration.js';

/**
 * Runs have a baseline and say what they came to; items are found by the call that they played; people accept outcomes. An
 * acceptance that was taken back stays: runs that began before it was keep what they are compared with.
 */
export const evaluations: Migration = {
  id: 9,
  name: 'evaluations',
  statements: [
    `ALTER TABLE test_runs ADD COLUMN dataset TEXT`,
    `ALTER TABLE test_runs ADD COLUMN baseline TEXT`,
    `ALTER TABLE test_runs ADD COLUMN repeat INTEGER`,
    `ALTER TABLE test_runs ADD COLUMN summary TEXT`,
    `ALTER TABLE test_runs ADD COLUMN passed INTEGER`,
    `ALTER TABLE test_run_selections RENAME TO old_test_run_selections`,
    `CREATE TABLE test_run_selections(
      account_id TEXT NOT NULL,
      test_run_id TEXT NOT NULL,
      item_no INTEGER NOT NULL,
      trace_id TEXT,
      span_id TEXT,
      dataset_item_id TEXT,
      accepted_no INTEGER,
      PRIMARY KEY(account_id, test_run_id, item_no)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX test_run_selections_by_dataset_item
      ON test_run_selections(account_id, test_run_id, dataset_item_id) WHERE dataset_item_id IS NOT NULL`,
    `INSERT INTO test_run_selections(account_id, test_run_id, item_no, trace_id, span_id)
      SELECT account_id, test_run_id, item_no, trace_id, span_id FROM old_test_run_selections`,
    `DROP TABLE old_test_run_selections`,
    `ALTER TABLE test_run_items ADD COLUMN source TEXT`,
    `UPDATE test_run_items SET source = 'call/' || (summary ->> '$.source_trace_id') || '/' || (summary ->> '$.source_span_id')`,
    `CREATE INDEX test_run_items_by_source ON test_run_items(account_id, test_run_id, source) WHERE source IS NOT NULL`,
    `CREATE TABLE accepted_outcomes(
      accepted_no INTEGER PRIMARY KEY AUTOINCREMENT,
      account_id TEXT NOT NULL,
      trace_function_key TEXT NOT NULL,
      source TEXT NOT NULL,
      test_run_id TEXT NOT NULL,
      item_no INTEGER NOT NULL,
      repetition INTEGER NOT NULL,
      acceptance TEXT NOT NULL,
      outcome TEXT NOT NULL,
      taken_back_us INTEGER
    ) STRICT`,
    `CREATE INDEX accepted_outcomes_in_force
      ON accepted_outcomes(account_id, trace_function_key, source, accepted_no) WHERE taken_back_us IS NULL`,
    `CREATE INDEX accepted_outcomes_of_items
      ON accepted_outcomes(account_id, test_run_id, item_no, repetition) WHERE taken_back_us IS NULL`,
  ],
};
