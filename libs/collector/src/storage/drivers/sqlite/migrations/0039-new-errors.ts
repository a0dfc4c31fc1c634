import { eraseLate } from './0025-copies.js';
import type { Migration } from './migration.js';

const FLAGS = ['fixed', 'failing_as_before', 'new_error', 'accepted'];

/** New errors are counted. An older error counts as new: its item does not say whether its baseline failed. */
export const newErrors: Migration = {
  id: 39,
  name: 'new-errors',
  statements: [
    'DROP TRIGGER test_run_items_of_deleted_insert',
    'DROP TRIGGER test_run_items_of_deleted_update',
    'ALTER TABLE test_run_items ADD COLUMN new_error INTEGER NOT NULL DEFAULT 0',
    `UPDATE test_run_items SET new_error = 1 WHERE verdict = 'error'`,
    'DROP INDEX test_run_items_counted',
    `CREATE INDEX test_run_items_counted ON test_run_items(account_id, test_run_id, item_no, repetition, verdict,
      fixed, failing_as_before, new_error, accepted, diverged, is_pending)`,
    eraseLate('INSERT', FLAGS),
    eraseLate('UPDATE', FLAGS),
  ],
};
