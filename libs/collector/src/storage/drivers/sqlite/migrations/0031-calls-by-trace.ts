import type { Migration } from './migration.js';

const COLUMNS = `account_id, trace_function_key, trace_id, started_us, is_recording, is_replay, error_count, cancelled_count,
  unfinished_count`;

/**
 * Calls of one trace are side by side: they come together, and beside each other they change few pages. Lists of a key have the
 * indexes by time.
 */
export const callsByTrace: Migration = {
  id: 31,
  name: 'calls-by-trace',
  statements: [
    `CREATE TABLE calls_by_trace(
      account_id TEXT NOT NULL,
      trace_function_key TEXT NOT NULL,
      trace_id TEXT NOT NULL,
      started_us INTEGER NOT NULL,
      is_recording INTEGER NOT NULL,
      is_replay INTEGER NOT NULL,
      error_count INTEGER NOT NULL,
      cancelled_count INTEGER NOT NULL,
      unfinished_count INTEGER NOT NULL,
      outcome TEXT GENERATED ALWAYS AS (CASE WHEN error_count > 0 THEN 'error' WHEN cancelled_count > 0 THEN 'cancelled'
        WHEN unfinished_count > 0 THEN 'unfinished' ELSE 'ok' END) VIRTUAL,
      PRIMARY KEY(account_id, trace_id, trace_function_key)
    ) STRICT, WITHOUT ROWID`,
    `INSERT INTO calls_by_trace(${COLUMNS}) SELECT ${COLUMNS} FROM trace_calls ORDER BY account_id, trace_id`,
    'DROP TABLE trace_calls',
    // Triggers that name the table are left as they are.
    'PRAGMA legacy_alter_table = ON',
    'ALTER TABLE calls_by_trace RENAME TO trace_calls',
    'PRAGMA legacy_alter_table = OFF',
    `CREATE INDEX trace_calls_by_time ON trace_calls(account_id, trace_function_key, started_us DESC, trace_id DESC, outcome)`,
    `CREATE INDEX recorded_calls_by_time
      ON trace_calls(account_id, trace_function_key, started_us DESC, trace_id DESC, outcome) WHERE is_replay = 0`,
    `CREATE INDEX trace_calls_not_ok
      ON trace_calls(account_id, trace_function_key, outcome, started_us DESC, trace_id DESC) WHERE outcome <> 'ok'`,
    `CREATE INDEX recorded_calls_not_ok
      ON trace_calls(account_id, trace_function_key, outcome, started_us DESC, trace_id DESC)
      WHERE is_replay = 0 AND outcome <> 'ok'`,
  ],
};
