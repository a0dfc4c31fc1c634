import { eraseItem } from '../meta/erased-item.js';
import type { Migration } from './migration.js';

const IS_DELETED = `EXISTS (SELECT 1 FROM deleted_traces d WHERE d.account_id = NEW.account_id AND d.with_copies = 1
  AND d.trace_id IN (NEW.new_trace_id, substr(NEW.source, 6, 36)))`;

/** An item that is reported of a trace that was deleted meanwhile has no content. */
export const eraseLate = (event: 'INSERT' | 'UPDATE', flags: readonly string[]): string =>
  `CREATE TRIGGER test_run_items_of_deleted_${event.toLowerCase()} AFTER ${event} ON test_run_items
    WHEN NEW.is_erased = 0 AND ${IS_DELETED} BEGIN
    UPDATE test_run_items SET ${eraseItem(flags)} WHERE rowid = NEW.rowid;
  END`;

const FLAGS = ['fixed', 'failing_as_before', 'accepted'];

/** Copies are found by the traces that they come from, and may be erased. */
export const copies: Migration = {
  id: 25,
  name: 'copies',
  statements: [
    'ALTER TABLE test_run_items ADD COLUMN is_erased INTEGER NOT NULL DEFAULT 0',
    'ALTER TABLE test_runs ADD COLUMN is_erased INTEGER NOT NULL DEFAULT 0',
    'CREATE INDEX test_runs_to_erase ON test_runs(account_id, created_us) WHERE is_erased = 0',
    `CREATE INDEX test_run_items_of_sources ON test_run_items(account_id, source) WHERE source IS NOT NULL`,
    `CREATE INDEX test_run_items_of_traces ON test_run_items(account_id, new_trace_id) WHERE new_trace_id IS NOT NULL`,
    `CREATE INDEX test_run_selections_of_traces ON test_run_selections(account_id, trace_id) WHERE trace_id IS NOT NULL`,
    `CREATE INDEX dataset_items_of_traces ON dataset_items(account_id, trace_id) WHERE trace_id IS NOT NULL`,
    `CREATE INDEX dataset_items_of_runs
      ON dataset_items(account_id, item ->> '$.source.test_run_id', item ->> '$.source.item_no')`,
    'CREATE INDEX accepted_outcomes_of_sources ON accepted_outcomes(account_id, source)',
    'CREATE INDEX accepted_outcomes_by_item ON accepted_outcomes(account_id, test_run_id, item_no, repetition)',
    eraseLate('INSERT', FLAGS),
    eraseLate('UPDATE', FLAGS),
  ],
};
