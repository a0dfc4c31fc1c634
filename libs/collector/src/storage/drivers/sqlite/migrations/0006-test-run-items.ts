import type { Migration } from './migration.js';

/** A text and no JSON, cut as `previewOf` does. */
const preview = (json: string): string => {
  const text = `(${json} || '')`;
  return `iif(length(${text}) > 200, substr(${text}, 1, 199) || '…', ${text})`;
};

/** Items are told by their repetition, too, and carry what lists show; a run keeps its selection and signs of life. */
export const testRunItems: Migration = {
  id: 6,
  name: 'test run items',
  statements: [
    `ALTER TABLE test_runs ADD COLUMN heartbeat_us INTEGER`,
    `ALTER TABLE test_runs ADD COLUMN is_stopped INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE test_runs ADD COLUMN selection TEXT`,
    `ALTER TABLE test_runs ADD COLUMN expected_items INTEGER`,
    `ALTER TABLE test_runs ADD COLUMN skipped TEXT`,
    `ALTER TABLE test_runs ADD COLUMN totals TEXT`,
    `CREATE TABLE test_run_selections(
      account_id TEXT NOT NULL,
      test_run_id TEXT NOT NULL,
      item_no INTEGER NOT NULL,
      trace_id TEXT NOT NULL,
      span_id TEXT,
      PRIMARY KEY(account_id, test_run_id, item_no)
    ) STRICT, WITHOUT ROWID`,
    `ALTER TABLE test_run_items RENAME TO old_test_run_items`,
    `DROP INDEX test_run_items_by_verdict`,
    `CREATE TABLE test_run_items(
      account_id TEXT NOT NULL,
      test_run_id TEXT NOT NULL,
      item_no INTEGER NOT NULL,
      repetition INTEGER NOT NULL,
      verdict TEXT NOT NULL,
      fixed INTEGER NOT NULL,
      failing_as_before INTEGER NOT NULL,
      accepted INTEGER NOT NULL,
      diverged INTEGER NOT NULL,
      is_pending INTEGER NOT NULL,
      new_trace_id TEXT,
      summary TEXT NOT NULL,
      record TEXT NOT NULL,
      record_bytes INTEGER NOT NULL,
      UNIQUE(account_id, test_run_id, item_no, repetition)
    ) STRICT`,
    `CREATE INDEX test_run_items_counted ON test_run_items(account_id, test_run_id, item_no, repetition, verdict,
      fixed, failing_as_before, accepted, diverged, is_pending)`,
    `CREATE INDEX test_run_items_by_verdict ON test_run_items(account_id, test_run_id, verdict, item_no, repetition)`,
    `INSERT INTO test_run_items
      SELECT account_id, test_run_id, item_no, 0, verdict, 0, 0, 0,
        coalesce(record ->> '$.divergence_count', json_array_length(record, '$.divergences'), 0) > 0, 0, record ->> '$.new_trace_id',
        json_patch('{}', json_object('item_no', item_no, 'verdict', verdict,
          'source_trace_id', record ->> '$.source_trace_id', 'source_span_id', record ->> '$.source_span_id',
          'new_trace_id', record ->> '$.new_trace_id', 'new_span_id', record ->> '$.new_span_id',
          'duration_ms', record -> '$.duration_ms', 'original_duration_ms', record -> '$.original_duration_ms',
          'divergence_count', nullif(coalesce(record ->> '$.divergence_count',
            json_array_length(record, '$.divergences'), 0), 0),
          'input_preview', ${preview("record -> '$.input'")},
          'error_preview', ${preview("(record ->> '$.error.name') || ': ' || (record ->> '$.error.message')")})),
        record, record_bytes
      FROM old_test_run_items`,
    `DROP TABLE old_test_run_items`,
  ],
};
