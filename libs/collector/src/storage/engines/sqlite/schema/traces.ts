import { STATUS_COLUMNS, setStatus } from '../status-columns.js';

/** `…_order` columns are -1 if the amount is unknown. They are stored, so that their indexes alone answer a sorted list. */
const TRACES = `CREATE TABLE traces(
  account_id TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  session_id TEXT,
  session_us INTEGER NOT NULL DEFAULT 0,
  user_id TEXT,
  user_us INTEGER,
  environment TEXT,
  environment_us INTEGER,
  release TEXT,
  release_us INTEGER,
  tags TEXT,
  tags_us INTEGER,
  test_run_id TEXT,
  root_span_id TEXT,
  root_span_no INTEGER,
  root_is_child INTEGER NOT NULL DEFAULT 1,
  started_us INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT 'unfinished',
  outcome TEXT NOT NULL DEFAULT 'unfinished',
  span_count INTEGER NOT NULL DEFAULT 0,
  error_count INTEGER NOT NULL DEFAULT 0,
  cancelled_count INTEGER NOT NULL DEFAULT 0,
  unfinished_count INTEGER NOT NULL DEFAULT 0,
  duration_order REAL NOT NULL DEFAULT -1,
  tokens_order REAL NOT NULL DEFAULT -1,
  cost_order REAL NOT NULL DEFAULT -1,
  usage TEXT,
  PRIMARY KEY(account_id, trace_id)
) STRICT, WITHOUT ROWID`;

const ATTRIBUTES = `CREATE TABLE trace_attributes(
  attribute_no INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK(kind IN ('metadata', 'context')),
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  said_us INTEGER NOT NULL DEFAULT 0,
  UNIQUE(account_id, trace_id, kind, key)
) STRICT`;

const KEYS = `CREATE TABLE trace_function_keys(
  account_id TEXT NOT NULL,
  trace_function_key TEXT NOT NULL,
  span_count INTEGER NOT NULL,
  last_started_us INTEGER NOT NULL,
  PRIMARY KEY(account_id, trace_function_key)
) STRICT, WITHOUT ROWID`;

/** A row for all calls with one key in a trace. */
const CALLS = `CREATE TABLE trace_calls(
  account_id TEXT NOT NULL,
  trace_function_key TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  started_us INTEGER NOT NULL,
  is_recording INTEGER NOT NULL,
  is_replay INTEGER NOT NULL,
  error_count INTEGER NOT NULL,
  cancelled_count INTEGER NOT NULL,
  unfinished_count INTEGER NOT NULL,
  outcome TEXT NOT NULL DEFAULT 'ok',
  PRIMARY KEY(account_id, trace_id, trace_function_key)
) STRICT, WITHOUT ROWID`;

/**
 * Statements count new spans once per batch. `last_span_no` is the last counted span while a batch is stored, and greater than any number
 * otherwise.
 */
const TALLY = [
  'CREATE TABLE tally(last_span_no INTEGER NOT NULL) STRICT',
  'INSERT INTO tally(last_span_no) VALUES (9223372036854775807)',
];

const NEWEST_FIRST = 'started_us DESC, trace_id DESC';

/** A partial index includes the columns of its condition. Otherwise SQLite fetches each entry from the table. */
const INDEXES = [
  `CREATE INDEX traces_by_time ON traces(account_id, ${NEWEST_FIRST})`,
  `CREATE INDEX recorded_traces_by_time ON traces(account_id, ${NEWEST_FIRST}, test_run_id) WHERE test_run_id IS NULL`,
  `CREATE INDEX traces_not_ok ON traces(account_id, outcome, ${NEWEST_FIRST}) WHERE outcome <> 'ok'`,
  `CREATE INDEX recorded_traces_not_ok ON traces(account_id, outcome, ${NEWEST_FIRST}, test_run_id)
    WHERE outcome <> 'ok' AND test_run_id IS NULL`,
  `CREATE INDEX traces_by_session ON traces(account_id, session_id, ${NEWEST_FIRST}) WHERE session_id IS NOT NULL`,
  `CREATE INDEX traces_by_test_run ON traces(account_id, test_run_id, ${NEWEST_FIRST}) WHERE test_run_id IS NOT NULL`,
  `CREATE INDEX traces_by_user ON traces(account_id, user_id, ${NEWEST_FIRST}) WHERE user_id IS NOT NULL`,
  `CREATE INDEX traces_by_environment ON traces(account_id, environment, ${NEWEST_FIRST}) WHERE environment IS NOT NULL`,
  `CREATE INDEX traces_by_release ON traces(account_id, release, ${NEWEST_FIRST}) WHERE release IS NOT NULL`,
  'CREATE INDEX traces_by_duration ON traces(account_id, duration_order DESC, trace_id DESC)',
  'CREATE INDEX traces_by_tokens ON traces(account_id, tokens_order DESC, trace_id DESC)',
  'CREATE INDEX traces_by_spans ON traces(account_id, span_count DESC, trace_id DESC)',
  'CREATE INDEX traces_by_cost ON traces(account_id, cost_order DESC, trace_id DESC)',
  `CREATE INDEX trace_calls_by_time
    ON trace_calls(account_id, trace_function_key, ${NEWEST_FIRST}, outcome, is_recording)`,
  `CREATE INDEX recorded_calls_by_time
    ON trace_calls(account_id, trace_function_key, ${NEWEST_FIRST}, outcome, is_replay) WHERE is_replay = 0`,
  `CREATE INDEX trace_calls_not_ok
    ON trace_calls(account_id, trace_function_key, outcome, ${NEWEST_FIRST}, is_recording) WHERE outcome <> 'ok'`,
  `CREATE INDEX recorded_calls_not_ok
    ON trace_calls(account_id, trace_function_key, outcome, ${NEWEST_FIRST}, is_replay)
    WHERE is_replay = 0 AND outcome <> 'ok'`,
];

/** The root is the first span without a parent. */
const SET_ROOT = `UPDATE traces
  SET root_span_id = NEW.span_id, root_is_child = NEW.parent_id IS NOT NULL, started_us = NEW.started_us,
    status = NEW.status, duration_order = coalesce(NEW.duration_ms, -1), root_span_no = NEW.span_no
  WHERE account_id = NEW.account_id AND trace_id = NEW.trace_id AND (root_span_id IS NULL OR root_span_id = NEW.span_id
    OR (NEW.parent_id IS NOT NULL, NEW.started_us, NEW.span_id) < (root_is_child, started_us, root_span_id))`;

const ADD_CALL = `INSERT INTO trace_calls(account_id, trace_function_key, trace_id, started_us, is_recording, is_replay,
    ${STATUS_COLUMNS})
  VALUES (NEW.account_id, NEW.trace_function_key, NEW.trace_id, NEW.started_us,
    NEW.test_run_id IS NULL AND NEW.status <> 'unfinished', NEW.test_run_id IS NOT NULL,
    NEW.status = 'error', NEW.status = 'cancelled', NEW.status = 'unfinished', NEW.status)
  ON CONFLICT(account_id, trace_function_key, trace_id) DO UPDATE
  SET started_us = min(started_us, excluded.started_us), is_recording = max(is_recording, excluded.is_recording),
    is_replay = max(is_replay, excluded.is_replay),
    ${setStatus((status) => `${status}_count + excluded.${status}_count`)}
  WHERE excluded.started_us < started_us OR excluded.is_recording > is_recording OR excluded.is_replay > is_replay
    OR excluded.outcome <> 'ok'`;

/** For spans of earlier batches. Ingest counts those of its own batch. */
const SPANS_UPDATED = `CREATE TRIGGER spans_updated AFTER UPDATE ON spans
  WHEN NEW.span_no <= (SELECT last_span_no FROM tally) BEGIN
  UPDATE traces SET test_run_id = coalesce(test_run_id, NEW.test_run_id), ${setStatus((status) => `${status}_count + (NEW.status = '${status}') - (OLD.status = '${status}')`)}
    WHERE account_id = NEW.account_id AND trace_id = NEW.trace_id;
  ${SET_ROOT};
  UPDATE trace_calls SET ${setStatus((status) => `${status}_count - (OLD.status = '${status}')`)}
    WHERE account_id = OLD.account_id AND trace_id = OLD.trace_id AND trace_function_key = OLD.trace_function_key;
  ${ADD_CALL};
END`;

/** A later record may give the root a parent or a later start, so that another span becomes the root. */
const ROOT_MOVED = `CREATE TRIGGER root_moved AFTER UPDATE ON spans
  WHEN NEW.span_no <= (SELECT last_span_no FROM tally)
    AND (NEW.parent_id IS NOT NULL, NEW.started_us) > (OLD.parent_id IS NOT NULL, OLD.started_us) BEGIN
  UPDATE traces
  SET root_span_id = r.span_id, root_is_child = r.is_child, started_us = r.started_us, status = r.status,
    duration_order = coalesce(r.duration_ms, -1), root_span_no = r.span_no
  FROM (SELECT span_no, span_id, parent_id IS NOT NULL AS is_child, started_us, status, duration_ms FROM spans
    WHERE account_id = NEW.account_id AND trace_id = NEW.trace_id ORDER BY is_child, started_us, span_id LIMIT 1) AS r
  WHERE traces.account_id = NEW.account_id AND traces.trace_id = NEW.trace_id AND root_span_id = NEW.span_id;
END`;

export const TRACE_TABLES = [
  TRACES,
  ATTRIBUTES,
  KEYS,
  CALLS,
  ...TALLY,
  ...INDEXES,
  SPANS_UPDATED,
  ROOT_MOVED,
];
