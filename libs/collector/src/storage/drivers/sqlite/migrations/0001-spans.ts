import type { Migration } from './migration.js';

const OUTRANKS_ROOT = `(root_span_id IS NULL OR root_span_id = NEW.span_id
  OR (NEW.parent_id IS NOT NULL, NEW.started_us, NEW.span_id) < (root_is_child, started_us, root_span_id))`;

const TAKE_ROOT = `UPDATE traces
  SET root_span_id = NEW.span_id, root_is_child = NEW.parent_id IS NOT NULL, started_us = NEW.started_us,
      status = NEW.status
  WHERE account_id = NEW.account_id AND trace_id = NEW.trace_id AND ${OUTRANKS_ROOT}`;

const NOTE_CALL = `INSERT INTO trace_calls(account_id, trace_function_key, trace_id, started_us, is_recording)
  VALUES (NEW.account_id, NEW.trace_function_key, NEW.trace_id, NEW.started_us,
    NEW.test_run_id IS NULL AND NEW.status <> 'unfinished')
  ON CONFLICT(account_id, trace_function_key, trace_id) DO UPDATE
  SET started_us = min(started_us, excluded.started_us), is_recording = max(is_recording, excluded.is_recording)
  WHERE excluded.started_us < started_us OR excluded.is_recording > is_recording`;

/** Spans narrow and apart from their payloads; triggers keep what lists read, so that no list scans spans. */
export const spans: Migration = {
  id: 1,
  name: 'spans',
  statements: [
    `CREATE TABLE spans(
      span_no INTEGER PRIMARY KEY,
      account_id TEXT NOT NULL,
      trace_id TEXT NOT NULL,
      span_id TEXT NOT NULL,
      parent_id TEXT,
      trace_function_key TEXT NOT NULL,
      name TEXT NOT NULL,
      type TEXT NOT NULL,
      status TEXT NOT NULL,
      started_us INTEGER NOT NULL,
      ended_us INTEGER,
      duration_ms REAL,
      test_run_id TEXT,
      source_span_id TEXT,
      input_preview TEXT,
      output_preview TEXT,
      payload_bytes INTEGER NOT NULL,
      received_us INTEGER NOT NULL,
      UNIQUE(account_id, trace_id, span_id)
    ) STRICT`,
    `CREATE TABLE span_payloads(
      span_no INTEGER PRIMARY KEY,
      is_final INTEGER NOT NULL,
      input TEXT,
      output TEXT,
      error TEXT,
      prompt TEXT,
      contexts TEXT,
      usage TEXT,
      meta TEXT
    ) STRICT`,
    `CREATE TABLE traces(
      account_id TEXT NOT NULL,
      trace_id TEXT NOT NULL,
      session_id TEXT,
      test_run_id TEXT,
      root_span_id TEXT,
      root_is_child INTEGER NOT NULL DEFAULT 1,
      started_us INTEGER NOT NULL,
      status TEXT NOT NULL DEFAULT 'unfinished',
      span_count INTEGER NOT NULL DEFAULT 0,
      error_count INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY(account_id, trace_id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX traces_by_time ON traces(account_id, started_us DESC, trace_id DESC)`,
    `CREATE INDEX traces_by_status ON traces(account_id, status, started_us DESC, trace_id DESC)`,
    `CREATE INDEX traces_by_session ON traces(account_id, session_id, started_us DESC, trace_id DESC)
      WHERE session_id IS NOT NULL`,
    `CREATE INDEX traces_by_test_run ON traces(account_id, test_run_id, started_us DESC, trace_id DESC)
      WHERE test_run_id IS NOT NULL`,
    `CREATE TABLE trace_attributes(
      attribute_no INTEGER PRIMARY KEY,
      account_id TEXT NOT NULL,
      trace_id TEXT NOT NULL,
      kind TEXT NOT NULL CHECK(kind IN ('metadata', 'context')),
      key TEXT NOT NULL,
      value TEXT NOT NULL,
      UNIQUE(account_id, trace_id, kind, key)
    ) STRICT`,
    `CREATE TABLE trace_calls(
      account_id TEXT NOT NULL,
      trace_function_key TEXT NOT NULL,
      trace_id TEXT NOT NULL,
      started_us INTEGER NOT NULL,
      is_recording INTEGER NOT NULL,
      PRIMARY KEY(account_id, trace_function_key, trace_id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX trace_calls_by_time ON trace_calls(account_id, trace_function_key, started_us DESC, trace_id DESC)`,
    `CREATE INDEX trace_calls_recorded
      ON trace_calls(account_id, trace_function_key, started_us DESC, trace_id DESC) WHERE is_recording = 1`,
    `CREATE TABLE trace_function_keys(
      account_id TEXT NOT NULL,
      trace_function_key TEXT NOT NULL,
      span_count INTEGER NOT NULL,
      last_started_us INTEGER NOT NULL,
      PRIMARY KEY(account_id, trace_function_key)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE ingest_batches(
      account_id TEXT NOT NULL,
      batch_id TEXT NOT NULL,
      received_us INTEGER NOT NULL,
      PRIMARY KEY(account_id, batch_id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX ingest_batches_by_time ON ingest_batches(received_us)`,
    `CREATE TRIGGER spans_inserted AFTER INSERT ON spans BEGIN
      INSERT INTO traces(account_id, trace_id, test_run_id, started_us, span_count, error_count)
        VALUES (NEW.account_id, NEW.trace_id, NEW.test_run_id, NEW.started_us, 1, NEW.status = 'error')
        ON CONFLICT(account_id, trace_id) DO UPDATE
        SET span_count = span_count + 1, error_count = error_count + excluded.error_count,
            test_run_id = coalesce(test_run_id, excluded.test_run_id);
      ${TAKE_ROOT};
      ${NOTE_CALL};
      INSERT INTO trace_function_keys(account_id, trace_function_key, span_count, last_started_us)
        VALUES (NEW.account_id, NEW.trace_function_key, 1, NEW.started_us)
        ON CONFLICT(account_id, trace_function_key) DO UPDATE
        SET span_count = span_count + 1, last_started_us = max(last_started_us, excluded.last_started_us);
    END`,
    `CREATE TRIGGER spans_updated AFTER UPDATE ON spans BEGIN
      UPDATE traces
        SET error_count = error_count + (NEW.status = 'error') - (OLD.status = 'error'),
            test_run_id = coalesce(test_run_id, NEW.test_run_id)
        WHERE account_id = NEW.account_id AND trace_id = NEW.trace_id;
      ${TAKE_ROOT};
      ${NOTE_CALL};
    END`,
    `CREATE TRIGGER spans_deleted AFTER DELETE ON spans BEGIN
      DELETE FROM span_payloads WHERE span_no = OLD.span_no;
    END`,
  ],
};
