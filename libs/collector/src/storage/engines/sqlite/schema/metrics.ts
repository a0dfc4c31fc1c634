/** Traces to roll up again. */
const CHANGED_TRACES = `CREATE TABLE changed_traces(
  change_no INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  trace_ids TEXT NOT NULL
) STRICT`;

/** The contribution of each trace to sums, so that it can be subtracted. */
const TRACE_METRICS = `CREATE TABLE trace_metrics(
  account_id TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  contribution TEXT NOT NULL,
  PRIMARY KEY(account_id, trace_id)
) STRICT, WITHOUT ROWID`;

/** Sums for each key, by hour and by day. */
const METRICS = `CREATE TABLE metrics(
  metric_no INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  hours INTEGER NOT NULL,
  is_replay INTEGER NOT NULL,
  trace_function_key TEXT NOT NULL,
  started_us INTEGER NOT NULL,
  tally TEXT NOT NULL,
  UNIQUE(account_id, hours, is_replay, trace_function_key, started_us)
) STRICT`;

export const METRIC_TABLES = [
  CHANGED_TRACES,
  TRACE_METRICS,
  METRICS,
  'CREATE INDEX metrics_by_time ON metrics(account_id, hours, is_replay, started_us)',
  `CREATE TRIGGER metrics_of_deleted_traces AFTER DELETE ON traces BEGIN
  INSERT INTO changed_traces(account_id, trace_ids) VALUES (OLD.account_id, json_array(OLD.trace_id));
END`,
];
