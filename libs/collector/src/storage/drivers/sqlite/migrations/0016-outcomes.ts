import type { Migration } from './migration.js';

const COUNTED = ['error', 'cancelled', 'unfinished'] as const;
const COUNTS = COUNTED.map((status) => `${status}_count`);

/** Beside `error_count`, which traces have. */
const addCounts = (table: string, names: readonly string[]): string[] =>
  names.map((name) => `ALTER TABLE ${table} ADD COLUMN ${name} INTEGER NOT NULL DEFAULT 0`);

/** A virtual column: the worst of the statuses that were counted. */
const addOutcome = (table: string, isEmpty: string): string =>
  `ALTER TABLE ${table} ADD COLUMN outcome TEXT GENERATED ALWAYS AS (CASE WHEN error_count > 0 THEN 'error'
    WHEN cancelled_count > 0 THEN 'cancelled' WHEN unfinished_count > 0 OR ${isEmpty} THEN 'unfinished' ELSE 'ok' END) VIRTUAL`;

const countsOf = (row: string): string => COUNTED.map((status) => `${row}.status = '${status}'`).join(', ');
const addTo = (names: readonly string[]): string =>
  names.map((name) => `${name} = ${name} + excluded.${name}`).join(', ');
const difference = COUNTED.map(
  (status) => `${status}_count = ${status}_count + (NEW.status = '${status}') - (OLD.status = '${status}')`,
).join(', ');

const OUTRANKS_ROOT = `(root_span_id IS NULL OR root_span_id = NEW.span_id
  OR (NEW.parent_id IS NOT NULL, NEW.started_us, NEW.span_id) < (root_is_child, started_us, root_span_id))`;

const TAKE_ROOT = `UPDATE traces
  SET root_span_id = NEW.span_id, root_is_child = NEW.parent_id IS NOT NULL, started_us = NEW.started_us,
      status = NEW.status
  WHERE account_id = NEW.account_id AND trace_id = NEW.trace_id AND ${OUTRANKS_ROOT}`;

const NOTE_CALL = `INSERT INTO trace_calls(account_id, trace_function_key, trace_id, started_us, is_recording, is_replay,
    ${COUNTS.join(', ')})
  VALUES (NEW.account_id, NEW.trace_function_key, NEW.trace_id, NEW.started_us,
    NEW.test_run_id IS NULL AND NEW.status <> 'unfinished', NEW.test_run_id IS NOT NULL, ${countsOf('NEW')})
  ON CONFLICT(account_id, trace_function_key, trace_id) DO UPDATE
  SET started_us = min(started_us, excluded.started_us), is_recording = max(is_recording, excluded.is_recording),
    is_replay = max(is_replay, excluded.is_replay), ${addTo(COUNTS)}
  WHERE excluded.started_us < started_us OR excluded.is_recording > is_recording OR excluded.is_replay > is_replay
    OR excluded.outcome <> 'ok'`;

const CALL_BEFORE = `account_id = OLD.account_id AND trace_id = OLD.trace_id
  AND trace_function_key = OLD.trace_function_key`;

const counted = (row: 'OLD' | 'NEW'): string =>
  `${row}.session_id IS NOT NULL AND ${row}.test_run_id IS NULL`;

const ADD_TO_SESSION = `INSERT INTO sessions(account_id, session_id, trace_count, first_us, last_us)
  SELECT NEW.account_id, NEW.session_id, 1, NEW.started_us, NEW.started_us WHERE ${counted('NEW')}
  ON CONFLICT(account_id, session_id) DO UPDATE SET trace_count = trace_count + 1,
    first_us = min(first_us, excluded.first_us), last_us = max(last_us, excluded.last_us)`;

const timeOfSession = (order: 'ASC' | 'DESC'): string => `(SELECT t.started_us FROM traces t
  WHERE t.account_id = sessions.account_id AND t.session_id = sessions.session_id AND t.test_run_id IS NULL
  ORDER BY t.started_us ${order}, t.trace_id ${order} LIMIT 1)`;

/** What the session of the row as it was loses. */
const TAKE_FROM_SESSION = [
  `UPDATE sessions SET trace_count = trace_count - 1
    WHERE account_id = OLD.account_id AND session_id = OLD.session_id AND ${counted('OLD')}`,
  `DELETE FROM sessions WHERE account_id = OLD.account_id AND session_id = OLD.session_id AND trace_count = 0`,
  `UPDATE sessions SET first_us = ${timeOfSession('ASC')}, last_us = ${timeOfSession('DESC')}
    WHERE account_id = OLD.account_id AND session_id = OLD.session_id`,
].join(';\n');

/**
 * Lists know the worst status of a trace, and of the calls of a key in it, have the replays apart, and do not group traces
 * for the sessions.
 */
export const outcomes: Migration = {
  id: 16,
  name: 'outcomes',
  statements: [
    'DROP TRIGGER spans_inserted',
    'DROP TRIGGER spans_updated',
    ...addCounts('traces', ['cancelled_count', 'unfinished_count']),
    ...addCounts('trace_calls', [...COUNTS, 'is_replay']),
    addOutcome('traces', 'span_count = 0'),
    addOutcome('trace_calls', 'false'),
    `UPDATE traces SET (cancelled_count, unfinished_count) = (
      SELECT count(*) FILTER (WHERE s.status = 'cancelled'), count(*) FILTER (WHERE s.status = 'unfinished') FROM spans s
      WHERE s.account_id = traces.account_id AND s.trace_id = traces.trace_id)`,
    `UPDATE trace_calls SET (${COUNTS.join(', ')}, is_replay) = (
      SELECT ${COUNTED.map((status) => `count(*) FILTER (WHERE s.status = '${status}')`).join(', ')},
        coalesce(max(s.test_run_id IS NOT NULL), 0)
      FROM spans s WHERE s.account_id = trace_calls.account_id AND s.trace_id = trace_calls.trace_id
        AND s.trace_function_key = trace_calls.trace_function_key)`,
    'DROP INDEX traces_by_status',
    'DROP INDEX trace_calls_recorded',
    `CREATE INDEX traces_by_outcome ON traces(account_id, outcome, started_us DESC, trace_id DESC)`,
    `CREATE INDEX recorded_traces_by_time ON traces(account_id, started_us DESC, trace_id DESC)
      WHERE test_run_id IS NULL`,
    `CREATE INDEX recorded_traces_by_outcome ON traces(account_id, outcome, started_us DESC, trace_id DESC)
      WHERE test_run_id IS NULL`,
    `CREATE INDEX trace_calls_by_outcome
      ON trace_calls(account_id, trace_function_key, outcome, started_us DESC, trace_id DESC)`,
    `CREATE INDEX recorded_calls_by_time ON trace_calls(account_id, trace_function_key, started_us DESC, trace_id DESC)
      WHERE is_replay = 0`,
    `CREATE INDEX recorded_calls_by_outcome
      ON trace_calls(account_id, trace_function_key, outcome, started_us DESC, trace_id DESC) WHERE is_replay = 0`,
    `CREATE TRIGGER spans_inserted AFTER INSERT ON spans BEGIN
      INSERT INTO traces(account_id, trace_id, test_run_id, started_us, span_count, ${COUNTS.join(', ')})
        VALUES (NEW.account_id, NEW.trace_id, NEW.test_run_id, NEW.started_us, 1, ${countsOf('NEW')})
        ON CONFLICT(account_id, trace_id) DO UPDATE
        SET span_count = span_count + 1, ${addTo(COUNTS)}, test_run_id = coalesce(test_run_id, excluded.test_run_id);
      ${TAKE_ROOT};
      ${NOTE_CALL};
      INSERT INTO trace_function_keys(account_id, trace_function_key, span_count, last_started_us)
        VALUES (NEW.account_id, NEW.trace_function_key, 1, NEW.started_us)
        ON CONFLICT(account_id, trace_function_key) DO UPDATE
        SET span_count = span_count + 1, last_started_us = max(last_started_us, excluded.last_started_us);
    END`,
    `CREATE TRIGGER spans_updated AFTER UPDATE ON spans BEGIN
      UPDATE traces SET ${difference}, test_run_id = coalesce(test_run_id, NEW.test_run_id)
        WHERE account_id = NEW.account_id AND trace_id = NEW.trace_id;
      ${TAKE_ROOT};
      UPDATE trace_calls
        SET ${COUNTED.map((status) => `${status}_count = ${status}_count - (OLD.status = '${status}')`).join(', ')}
        WHERE ${CALL_BEFORE};
      ${NOTE_CALL};
    END`,
    `CREATE TABLE sessions(
      account_id TEXT NOT NULL,
      session_id TEXT NOT NULL,
      trace_count INTEGER NOT NULL,
      first_us INTEGER NOT NULL,
      last_us INTEGER NOT NULL,
      PRIMARY KEY(account_id, session_id)
    ) STRICT, WITHOUT ROWID`,
    `INSERT INTO sessions(account_id, session_id, trace_count, first_us, last_us)
      SELECT account_id, session_id, count(*), min(started_us), max(started_us) FROM traces
      WHERE session_id IS NOT NULL AND test_run_id IS NULL GROUP BY account_id, session_id`,
    `CREATE INDEX sessions_by_time ON sessions(account_id, last_us DESC, session_id DESC)`,
    `CREATE TRIGGER traces_inserted AFTER INSERT ON traces WHEN ${counted('NEW')} BEGIN
      ${ADD_TO_SESSION};
    END`,
    `CREATE TRIGGER traces_updated AFTER UPDATE OF session_id, test_run_id, started_us ON traces
      WHEN (OLD.session_id, OLD.test_run_id, OLD.started_us) IS NOT (NEW.session_id, NEW.test_run_id, NEW.started_us)
        AND coalesce(OLD.session_id, NEW.session_id) IS NOT NULL BEGIN
      ${ADD_TO_SESSION};
      ${TAKE_FROM_SESSION};
    END`,
    `CREATE TRIGGER traces_deleted AFTER DELETE ON traces WHEN ${counted('OLD')} BEGIN
      ${TAKE_FROM_SESSION};
    END`,
  ],
};
