import type { Migration } from './migration.js';

const COUNTED = ['error', 'cancelled', 'unfinished'] as const;
const COUNTS = COUNTED.map((status) => `${status}_count`);
const countsOf = COUNTED.map((status) => `NEW.status = '${status}'`).join(', ');
const addCounts = COUNTS.map((name) => `${name} = ${name} + excluded.${name}`).join(', ');
const difference = COUNTED.map(
  (status) => `${status}_count = ${status}_count + (NEW.status = '${status}') - (OLD.status = '${status}')`,
).join(', ');

const TAKE_ROOT = `UPDATE traces
  SET root_span_id = NEW.span_id, root_is_child = NEW.parent_id IS NOT NULL, started_us = NEW.started_us,
      status = NEW.status, duration_order = coalesce(NEW.duration_ms, -1)
  WHERE account_id = NEW.account_id AND trace_id = NEW.trace_id AND (root_span_id IS NULL OR root_span_id = NEW.span_id
    OR (NEW.parent_id IS NOT NULL, NEW.started_us, NEW.span_id) < (root_is_child, started_us, root_span_id))`;

const NOTE_CALL = `INSERT INTO trace_calls(account_id, trace_function_key, trace_id, started_us, is_recording, is_replay,
    ${COUNTS.join(', ')})
  VALUES (NEW.account_id, NEW.trace_function_key, NEW.trace_id, NEW.started_us,
    NEW.test_run_id IS NULL AND NEW.status <> 'unfinished', NEW.test_run_id IS NOT NULL, ${countsOf})
  ON CONFLICT(account_id, trace_function_key, trace_id) DO UPDATE
  SET started_us = min(started_us, excluded.started_us), is_recording = max(is_recording, excluded.is_recording),
    is_replay = max(is_replay, excluded.is_replay), ${addCounts}
  WHERE excluded.started_us < started_us OR excluded.is_recording > is_recording OR excluded.is_replay > is_replay
    OR excluded.outcome <> 'ok'`;

const CALL_BEFORE = `account_id = OLD.account_id AND trace_id = OLD.trace_id
  AND trace_function_key = OLD.trace_function_key`;

/** Each with the column that it takes the place of. */
const ORDERS = [
  ['duration', 'duration_ms'],
  ['tokens', 'tokens'],
  ['cost', 'cost_usd'],
] as const;

/** By a column that its condition names SQLite takes an index for one that does not tell all, unless it has that column. */
const RECORDED = [
  'DROP INDEX recorded_traces_by_time',
  `CREATE INDEX recorded_traces_by_time ON traces(account_id, started_us DESC, trace_id DESC, test_run_id)
    WHERE test_run_id IS NULL`,
  'DROP INDEX recorded_calls_by_time',
  `CREATE INDEX recorded_calls_by_time
    ON trace_calls(account_id, trace_function_key, started_us DESC, trace_id DESC, outcome, is_replay)
    WHERE is_replay = 0`,
];

/**
 * What traces are sorted by is stored, -1 where it is not known: an index of a generated column tells SQLite nothing, so that each
 * entry that a list comes by was fetched from the table.
 */
export const amountsInOrder: Migration = {
  id: 34,
  name: 'amounts-in-order',
  statements: [
    'DROP TRIGGER spans_updated',
    ...ORDERS.flatMap(([name]) => [
      `DROP INDEX traces_by_${name}`,
      `ALTER TABLE traces DROP COLUMN ${name}_order`,
      `ALTER TABLE traces ADD COLUMN ${name}_order REAL NOT NULL DEFAULT -1`,
    ]),
    `UPDATE traces SET ${ORDERS.map(([name, column]) => `${name}_order = coalesce(${column}, -1)`).join(', ')}
      WHERE coalesce(${ORDERS.map(([, column]) => column).join(', ')}) IS NOT NULL`,
    ...ORDERS.flatMap(([name, column]) => [
      `ALTER TABLE traces DROP COLUMN ${column}`,
      `CREATE INDEX traces_by_${name} ON traces(account_id, ${name}_order DESC, trace_id DESC)`,
    ]),
    ...RECORDED,
    `CREATE TRIGGER spans_updated AFTER UPDATE ON spans WHEN NEW.span_no <= (SELECT last_span_no FROM tally) BEGIN
      UPDATE traces SET ${difference}, test_run_id = coalesce(test_run_id, NEW.test_run_id)
        WHERE account_id = NEW.account_id AND trace_id = NEW.trace_id;
      ${TAKE_ROOT};
      UPDATE trace_calls
        SET ${COUNTED.map((status) => `${status}_count = ${status}_count - (OLD.status = '${status}')`).join(', ')}
        WHERE ${CALL_BEFORE};
      ${NOTE_CALL};
    END`,
  ],
};
