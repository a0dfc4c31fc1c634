import type { Migration } from './migration.js';

export const testRuns: Migration = {
  id: 3,
  name: 'test runs',
  statements: [
    `CREATE TABLE test_runs(
      account_id TEXT NOT NULL,
      test_run_id TEXT NOT NULL,
      trace_function_key TEXT NOT NULL,
      name TEXT,
      created_us INTEGER NOT NULL,
      finished_us INTEGER,
      PRIMARY KEY(account_id, test_run_id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX test_runs_by_time ON test_runs(account_id, created_us DESC, test_run_id DESC)`,
    `CREATE INDEX test_runs_by_key ON test_runs(account_id, trace_function_key, created_us DESC, test_run_id DESC)`,
    `CREATE TABLE test_run_items(
      account_id TEXT NOT NULL,
      test_run_id TEXT NOT NULL,
      item_no INTEGER NOT NULL,
      verdict TEXT NOT NULL CHECK(verdict IN ('same', 'changed', 'error')),
      record TEXT NOT NULL,
      record_bytes INTEGER NOT NULL,
      UNIQUE(account_id, test_run_id, item_no)
    ) STRICT`,
    `CREATE INDEX test_run_items_by_verdict ON test_run_items(account_id, test_run_id, verdict)`,
  ],
};
