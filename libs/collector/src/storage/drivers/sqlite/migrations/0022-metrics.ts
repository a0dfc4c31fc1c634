import type { Migration } from './migration.js';

/**
 * Metrics are rolled up behind ingest. `changed_traces` says what is still to be looked at; `trace_metrics` is what a trace has
 * added, so that it can be taken away again; `metrics` has the sums of each key by the hour and by the day.
 */
export const metrics: Migration = {
  id: 22,
  name: 'metrics',
  statements: [
    `CREATE TABLE changed_traces(
      change_no INTEGER PRIMARY KEY,
      account_id TEXT NOT NULL,
      trace_ids TEXT NOT NULL
    ) STRICT`,
    `CREATE TABLE trace_metrics(
      account_id TEXT NOT NULL,
      trace_id TEXT NOT NULL,
      usage TEXT,
      contribution TEXT NOT NULL,
      PRIMARY KEY(account_id, trace_id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE metrics(
      metric_no INTEGER PRIMARY KEY,
      account_id TEXT NOT NULL,
      hours INTEGER NOT NULL,
      is_replay INTEGER NOT NULL,
      trace_function_key TEXT NOT NULL,
      started_us INTEGER NOT NULL,
      tally TEXT NOT NULL,
      UNIQUE(account_id, hours, is_replay, trace_function_key, started_us)
    ) STRICT`,
    'CREATE INDEX metrics_by_time ON metrics(account_id, hours, is_replay, started_us)',
    // Whatever deletes a trace: its part of the sums is taken away.
    `CREATE TRIGGER metrics_of_deleted_traces AFTER DELETE ON traces BEGIN
      INSERT INTO changed_traces(account_id, trace_ids) VALUES (OLD.account_id, json_array(OLD.trace_id));
    END`,
    `INSERT INTO changed_traces(account_id, trace_ids)
      SELECT account_id, json_group_array(trace_id)
      FROM (SELECT account_id, trace_id, (row_number() OVER (PARTITION BY account_id)) / 200 AS part FROM traces)
      GROUP BY account_id, part`,
  ],
};
