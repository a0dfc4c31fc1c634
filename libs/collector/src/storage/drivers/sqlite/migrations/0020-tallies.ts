import type { Migration } from './migration.js';

const COUNTED = ['error', 'cancelled', 'unfinished'] as const;
const COUNTS = COUNTED.map((status) => `${status}_count`);
const difference = COUNTED.map(
  (status) => `${status}_count = ${status}_count + (NEW.status = '${status}') - (OLD.status = '${status}')`,
).join(', ');

const TAKE_ROOT = `UPDATE traces
  SET root_span_id = NEW.span_id, root_is_child = NEW.parent_id IS NOT NULL, started_us = NEW.started_us,
      status = NEW.status
  WHERE account_id = NEW.account_id AND trace_id = NEW.trace_id AND (root_span_id IS NULL OR root_span_id = NEW.span_id
    OR (NEW.parent_id IS NOT NULL, NEW.started_us, NEW.span_id) < (root_is_child, started_us, root_span_id))`;

const NOTE_CALL = `INSERT INTO trace_calls(account_id, trace_function_key, trace_id, started_us, is_recording, is_replay,
    ${COUNTS.join(', ')})
  VALUES (NEW.account_id, NEW.trace_function_key, NEW.trace_id, NEW.started_us,
    NEW.test_run_id IS NULL AND NEW.status <> 'unfinished', NEW.test_run_id IS NOT NULL,
    ${COUNTED.map((status) => `NEW.status = '${status}'`).join(', ')})
  ON CONFLICT(account_id, trace_function_key, trace_id) DO UPDATE
  SET started_us = min(started_us, excluded.started_us), is_recording = max(is_recording, excluded.is_recording),
    is_replay = max(is_replay, excluded.is_replay), ${COUNTS.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}
  WHERE excluded.started_us < started_us OR excluded.is_recording > is_recording OR excluded.is_replay > is_replay
    OR excluded.outcome <> 'ok'`;

const CALL_BEFORE = `account_id = OLD.account_id AND trace_id = OLD.trace_id
  AND trace_function_key = OLD.trace_function_key`;

/** Calls that went well are found by time: few are not, and lists of those are all that an index by outcome serves. */
const CALL_INDEXES = [
  ...[
    'trace_calls_by_time',
    'trace_calls_by_outcome',
    'recorded_calls_by_time',
    'recorded_calls_by_outcome',
  ].map((index) => `DROP INDEX ${index}`),
  `CREATE INDEX trace_calls_by_time ON trace_calls(account_id, trace_function_key, started_us DESC, trace_id DESC, outcome)`,
  `CREATE INDEX recorded_calls_by_time
    ON trace_calls(account_id, trace_function_key, started_us DESC, trace_id DESC, outcome) WHERE is_replay = 0`,
  `CREATE INDEX trace_calls_not_ok
    ON trace_calls(account_id, trace_function_key, outcome, started_us DESC, trace_id DESC) WHERE outcome <> 'ok'`,
  `CREATE INDEX recorded_calls_not_ok
    ON trace_calls(account_id, trace_function_key, outcome, started_us DESC, trace_id DESC)
    WHERE is_replay = 0 AND outcome <> 'ok'`,
];

/**
 * New spans are counted once a batch, by statements, and no longer one by one by a trigger. `tally` holds the last span that
 * is counted while a batch is stored, and more than any number otherwise.
 */
export const tallies: Migration = {
  id: 20,
  name: 'tallies',
  statements: [
    'CREATE TABLE tally(last_span_no INTEGER NOT NULL) STRICT',
    'INSERT INTO tally(last_span_no) VALUES (9223372036854775807)',
    'DROP TRIGGER spans_inserted',
    'DROP TRIGGER spans_updated',
    `CREATE TRIGGER spans_updated AFTER UPDATE ON spans WHEN NEW.span_no <= (SELECT last_span_no FROM tally) BEGIN
      UPDATE traces SET ${difference}, test_run_id = coalesce(test_run_id, NEW.test_run_id)
        WHERE account_id = NEW.account_id AND trace_id = NEW.trace_id;
      ${TAKE_ROOT};
      UPDATE trace_calls
        SET ${COUNTED.map((status) => `${status}_count = ${status}_count - (OLD.status = '${status}')`).join(', ')}
        WHERE ${CALL_BEFORE};
      ${NOTE_CALL};
    END`,
    ...CALL_INDEXES,
  ],
};
