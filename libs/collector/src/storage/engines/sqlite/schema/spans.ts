/** Narrow rows for lists. Payloads have their own table. AUTOINCREMENT, because the text index may contain numbers of deleted spans. */
const SPANS = `CREATE TABLE spans(
  span_no INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  span_id TEXT NOT NULL,
  parent_id TEXT,
  trace_function_key TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  kind TEXT,
  level TEXT,
  status TEXT NOT NULL,
  started_us INTEGER NOT NULL,
  ended_us INTEGER,
  duration_ms REAL,
  test_run_id TEXT,
  source_span_id TEXT,
  input_preview TEXT,
  output_preview TEXT,
  error_preview TEXT,
  model TEXT,
  input_tokens REAL,
  output_tokens REAL,
  cost_usd REAL,
  price_version TEXT,
  payload_bytes INTEGER NOT NULL,
  received_us INTEGER NOT NULL,
  UNIQUE(account_id, trace_id, span_id)
) STRICT`;

/** `parts` is a JSON list: the numbers of the large parts that are stored in `payload_parts`, in order. */
const PAYLOADS = `CREATE TABLE span_payloads(
  span_no INTEGER PRIMARY KEY,
  is_final INTEGER NOT NULL,
  input TEXT,
  output TEXT,
  error TEXT,
  prompt TEXT,
  contexts TEXT,
  usage TEXT,
  meta TEXT,
  parts TEXT,
  checksum INTEGER
) STRICT`;

/** AUTOINCREMENT, because a reader may still use the number of a deleted part. */
const PAYLOAD_PARTS = `CREATE TABLE payload_parts(
  part_no INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  json TEXT NOT NULL,
  UNIQUE(account_id, digest)
) STRICT`;

/** Separate from the texts, so that a new count writes a small page. */
const PAYLOAD_PART_USES =
  'CREATE TABLE payload_part_uses(part_no INTEGER PRIMARY KEY, uses INTEGER NOT NULL) STRICT';

/** Ids of batches, so that a batch sent twice is stored once. */
const INGEST_BATCHES = `CREATE TABLE ingest_batches(
  account_id TEXT NOT NULL,
  batch_id TEXT NOT NULL,
  received_us INTEGER NOT NULL,
  PRIMARY KEY(account_id, batch_id)
) STRICT, WITHOUT ROWID`;

const partsIn = (row: 'NEW' | 'OLD'): string => `SELECT DISTINCT value FROM json_each(${row}.parts)`;

const TAKE_PARTS = `INSERT INTO payload_part_uses(part_no, uses) SELECT value, 1 FROM (${partsIn('NEW')}) WHERE true
    ON CONFLICT(part_no) DO UPDATE SET uses = uses + 1`;

const RELEASE_PARTS = `UPDATE payload_part_uses SET uses = uses - 1 WHERE part_no IN (${partsIn('OLD')});
  DELETE FROM payload_parts WHERE part_no IN (
    SELECT part_no FROM payload_part_uses WHERE uses = 0 AND part_no IN (${partsIn('OLD')}));
  DELETE FROM payload_part_uses WHERE uses = 0 AND part_no IN (${partsIn('OLD')})`;

/** Ingest counts the parts of new payloads once per batch. Triggers count changes of stored payloads. */
const PARTS_CHANGED = `CREATE TRIGGER parts_of_changed_payload AFTER UPDATE OF parts ON span_payloads
  WHEN NEW.parts IS NOT OLD.parts AND NEW.span_no <= (SELECT last_span_no FROM tally) BEGIN
  ${TAKE_PARTS};
  ${RELEASE_PARTS};
END`;

const PARTS_DELETED = `CREATE TRIGGER parts_of_deleted_payload AFTER DELETE ON span_payloads
  WHEN OLD.parts IS NOT NULL BEGIN
  ${RELEASE_PARTS};
END`;

const SPANS_DELETED = `CREATE TRIGGER spans_deleted AFTER DELETE ON spans BEGIN
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
END`;

export const SPAN_TABLES = [
  SPANS,
  PAYLOADS,
  PAYLOAD_PARTS,
  PAYLOAD_PART_USES,
  INGEST_BATCHES,
  'CREATE INDEX ingest_batches_by_time ON ingest_batches(received_us)',
  PARTS_CHANGED,
  PARTS_DELETED,
  SPANS_DELETED,
];
