import type { Migration } from './migration.js';

const isDeleted = (traceId: string, condition = ''): string => `EXISTS (SELECT 1 FROM deleted_traces d
  WHERE d.account_id = NEW.account_id AND d.trace_id = ${traceId} ${condition})`;

/** What comes late of a trace that was deleted is not stored, whatever the statement that would store it. */
const dropLate = (table: string, traceId: string, condition = ''): string =>
  `CREATE TRIGGER ${table}_of_deleted BEFORE INSERT ON ${table} WHEN ${isDeleted(traceId, condition)} BEGIN
    SELECT RAISE(IGNORE);
  END`;

const OF_SESSION = 'account_id = OLD.account_id AND session_id = OLD.session_id';

/** Deletions are jobs. Traces and sessions that were deleted are remembered, so that nothing of them comes back. */
export const deletions: Migration = {
  id: 24,
  name: 'deletions',
  statements: [
    `CREATE TABLE deletions(
      deletion_no INTEGER PRIMARY KEY AUTOINCREMENT,
      account_id TEXT NOT NULL,
      deletion_id TEXT NOT NULL,
      created_us INTEGER NOT NULL,
      rank INTEGER NOT NULL,
      record TEXT NOT NULL,
      position TEXT,
      UNIQUE(account_id, deletion_id)
    ) STRICT`,
    `CREATE INDEX deletions_by_time ON deletions(account_id, created_us DESC, deletion_id DESC)`,
    `CREATE INDEX deletions_to_do ON deletions(rank, deletion_no) WHERE rank > 0`,
    `CREATE TABLE deleted_traces(
      account_id TEXT NOT NULL,
      trace_id TEXT NOT NULL,
      with_copies INTEGER NOT NULL,
      forget_us INTEGER NOT NULL,
      PRIMARY KEY(account_id, trace_id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX deleted_traces_to_forget ON deleted_traces(forget_us)`,
    `CREATE TABLE deleted_sessions(
      account_id TEXT NOT NULL,
      digest TEXT NOT NULL,
      deleted_us INTEGER NOT NULL,
      forget_us INTEGER NOT NULL,
      PRIMARY KEY(account_id, digest)
    ) STRICT, WITHOUT ROWID`,
    dropLate('spans', 'NEW.trace_id'),
    dropLate('traces', 'NEW.trace_id'),
    dropLate('trace_attributes', 'NEW.trace_id'),
    dropLate('scores', 'NEW.target_id', `AND NEW.target = 'trace'`),
    dropLate('dataset_items', 'NEW.trace_id', 'AND d.with_copies = 1'),
    'DROP TRIGGER spans_deleted',
    `CREATE TRIGGER spans_deleted AFTER DELETE ON spans BEGIN
      DELETE FROM span_payloads WHERE span_no = OLD.span_no;
      DELETE FROM trace_calls WHERE account_id = OLD.account_id AND trace_function_key = OLD.trace_function_key
        AND trace_id = OLD.trace_id;
      UPDATE trace_function_keys SET span_count = span_count - 1,
          last_started_us = iif(last_started_us > OLD.started_us, last_started_us, coalesce((
            SELECT c.started_us FROM trace_calls c WHERE c.account_id = OLD.account_id
              AND c.trace_function_key = OLD.trace_function_key ORDER BY c.started_us DESC LIMIT 1), last_started_us))
        WHERE account_id = OLD.account_id AND trace_function_key = OLD.trace_function_key;
      DELETE FROM trace_function_keys
        WHERE account_id = OLD.account_id AND trace_function_key = OLD.trace_function_key AND span_count = 0;
    END`,
    `CREATE TRIGGER sessions_ended AFTER DELETE ON traces WHEN OLD.session_id IS NOT NULL BEGIN
      DELETE FROM scores WHERE account_id = OLD.account_id AND target = 'session' AND target_id = OLD.session_id
        AND NOT EXISTS (SELECT 1 FROM traces WHERE ${OF_SESSION});
    END`,
  ],
};
