/** Spans by OTLP that are not stored, for late children: their ids and parents, one row for each trace of a request. */
const SKIPPED_SPANS = `CREATE TABLE skipped_spans(
  skipped_no INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  skipped_us INTEGER NOT NULL,
  parents TEXT NOT NULL
) STRICT`;

export const SKIPPED_SPAN_TABLES = [
  SKIPPED_SPANS,
  'CREATE INDEX skipped_spans_by_trace ON skipped_spans(account_id, trace_id)',
];
