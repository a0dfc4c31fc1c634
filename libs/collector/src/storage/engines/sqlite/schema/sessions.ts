/** Sums over the recorded traces of a session, kept by triggers; replays do not count. */
const SESSIONS = `CREATE TABLE sessions(
  account_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  trace_count INTEGER NOT NULL,
  first_us INTEGER NOT NULL,
  last_us INTEGER NOT NULL,
  PRIMARY KEY(account_id, session_id)
) STRICT, WITHOUT ROWID`;

const isCounted = (row: 'OLD' | 'NEW'): string =>
  `${row}.session_id IS NOT NULL AND ${row}.test_run_id IS NULL`;

const ADD_TO_SESSION = `INSERT INTO sessions(account_id, session_id, trace_count, first_us, last_us)
    SELECT NEW.account_id, NEW.session_id, 1, NEW.started_us, NEW.started_us WHERE ${isCounted('NEW')}
    ON CONFLICT(account_id, session_id) DO UPDATE SET trace_count = trace_count + 1,
      first_us = min(first_us, excluded.first_us), last_us = max(last_us, excluded.last_us)`;

const OLD_SESSION = 'account_id = OLD.account_id AND session_id = OLD.session_id';

const firstTrace = (order: 'ASC' | 'DESC'): string => `(SELECT t.started_us FROM traces t
      WHERE t.account_id = sessions.account_id AND t.session_id = sessions.session_id AND t.test_run_id IS NULL
      ORDER BY t.started_us ${order}, t.trace_id ${order} LIMIT 1)`;

const TAKE_FROM_SESSION = `UPDATE sessions SET trace_count = trace_count - 1
    WHERE ${OLD_SESSION} AND ${isCounted('OLD')};
  DELETE FROM sessions WHERE ${OLD_SESSION} AND trace_count = 0;
  UPDATE sessions SET first_us = ${firstTrace('ASC')},
    last_us = ${firstTrace('DESC')}
    WHERE ${OLD_SESSION}`;

const TRACES_INSERTED = `CREATE TRIGGER traces_inserted AFTER INSERT ON traces WHEN ${isCounted('NEW')} BEGIN
  ${ADD_TO_SESSION};
END`;

const TRACES_UPDATED = `CREATE TRIGGER traces_updated AFTER UPDATE OF session_id, test_run_id, started_us ON traces
  WHEN (OLD.session_id, OLD.test_run_id, OLD.started_us) IS NOT (NEW.session_id, NEW.test_run_id, NEW.started_us)
    AND coalesce(OLD.session_id, NEW.session_id) IS NOT NULL BEGIN
  ${ADD_TO_SESSION};
  ${TAKE_FROM_SESSION};
END`;

const TRACES_DELETED = `CREATE TRIGGER traces_deleted AFTER DELETE ON traces WHEN ${isCounted('OLD')} BEGIN
  ${TAKE_FROM_SESSION};
END`;

/** Deletes the scores of a session together with its last trace. */
const SESSIONS_ENDED = `CREATE TRIGGER sessions_ended AFTER DELETE ON traces WHEN OLD.session_id IS NOT NULL BEGIN
  DELETE FROM scores WHERE account_id = OLD.account_id AND target = 'session' AND target_id = OLD.session_id
    AND NOT EXISTS (SELECT 1 FROM traces WHERE ${OLD_SESSION});
END`;

export const SESSION_TABLES = [
  SESSIONS,
  'CREATE INDEX sessions_by_time ON sessions(account_id, last_us DESC, session_id DESC)',
  TRACES_INSERTED,
  TRACES_UPDATED,
  TRACES_DELETED,
  SESSIONS_ENDED,
];
