import type { Migration } from './migration.js';

/** Scores of baselines are found by what evaluators saw. An item that is erased has no hash, and leaves the index. */
export const baselineScores: Migration = {
  id: 40,
  name: 'baseline-scores',
  statements: [
    `CREATE INDEX test_run_items_by_baseline ON test_run_items(account_id, summary ->> '$.baseline_hash')
      WHERE summary ->> '$.baseline_hash' IS NOT NULL`,
    'ALTER TABLE test_runs ADD COLUMN rescore_of TEXT',
  ],
};
