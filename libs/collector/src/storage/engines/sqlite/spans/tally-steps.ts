import type { Step } from '../connection.js';
import { STATUS_COLUMNS, statusValues, setStatus } from '../status-columns.js';

/** Greater than every span number: all spans are counted, so triggers follow each change. */
const ALL = '9223372036854775807';

/** Without the hint, SQLite would scan an index of all spans to get them sorted by trace. */
const FRESH = 'FROM spans NOT INDEXED WHERE span_no > (SELECT last_span_no FROM tally)';

const COUNTS = statusValues((status) => `count(*) FILTER (WHERE status = '${status}')`).join(', ');
const ADD_COUNTS = setStatus((status) => `${status}_count + excluded.${status}_count`);

/** Among the new spans of each trace, the first without a parent, or else the first. */
const FRESH_ROOTS = `SELECT account_id, trace_id, span_no, span_id, parent_id IS NOT NULL AS is_child, started_us, status,
    duration_ms, row_number() OVER (
      PARTITION BY account_id, trace_id ORDER BY parent_id IS NOT NULL, started_us, span_id) AS place
  ${FRESH}`;

const COUNT_IN_TRACES = `INSERT INTO traces(account_id, trace_id, test_run_id, started_us, span_count, ${STATUS_COLUMNS})
  SELECT account_id, trace_id, min(test_run_id), min(started_us), count(*), ${COUNTS} ${FRESH}
  GROUP BY account_id, trace_id
  ON CONFLICT(account_id, trace_id) DO UPDATE
  SET span_count = span_count + excluded.span_count, ${ADD_COUNTS},
    test_run_id = coalesce(test_run_id, excluded.test_run_id)`;

const TAKE_ROOTS = `UPDATE traces
  SET root_span_no = r.span_no, root_span_id = r.span_id, root_is_child = r.is_child, started_us = r.started_us, status = r.status,
    duration_order = coalesce(r.duration_ms, -1)
  FROM (${FRESH_ROOTS}) AS r
  WHERE r.place = 1 AND traces.account_id = r.account_id AND traces.trace_id = r.trace_id
    AND (root_span_id IS NULL
      OR (r.is_child, r.started_us, r.span_id) < (root_is_child, traces.started_us, root_span_id))`;

const COUNT_CALLS = `INSERT INTO trace_calls(account_id, trace_function_key, trace_id, started_us, is_recording, is_replay,
    ${STATUS_COLUMNS})
  SELECT account_id, trace_function_key, trace_id, min(started_us), max(test_run_id IS NULL AND status <> 'unfinished'),
    max(test_run_id IS NOT NULL), ${COUNTS} ${FRESH}
  GROUP BY account_id, trace_function_key, trace_id
  ON CONFLICT(account_id, trace_function_key, trace_id) DO UPDATE
  SET started_us = min(started_us, excluded.started_us), is_recording = max(is_recording, excluded.is_recording),
    is_replay = max(is_replay, excluded.is_replay), ${ADD_COUNTS}
  WHERE excluded.started_us < started_us OR excluded.is_recording > is_recording OR excluded.is_replay > is_replay
    OR excluded.outcome <> 'ok'`;

const COUNT_OF_KEYS = `INSERT INTO trace_function_keys(account_id, trace_function_key, span_count, last_started_us)
  SELECT account_id, trace_function_key, count(*), max(started_us) ${FRESH}
  GROUP BY account_id, trace_function_key
  ON CONFLICT(account_id, trace_function_key) DO UPDATE
  SET span_count = span_count + excluded.span_count,
    last_started_us = max(last_started_us, excluded.last_started_us)`;

/** The writer stores one batch at a time, so new spans have consecutive numbers. */
const QUEUE_TEXTS = `INSERT INTO text_queue(account_id, first_span, last_span, received_us)
  SELECT account_id, min(span_no), max(span_no), min(received_us) ${FRESH} GROUP BY account_id`;

const once = (sql: string): Step => ({ sql, rows: [[]] });

/**
 * Counts what lists read once per batch, for all new spans. A trigger on each span would cost as much as storing it. Triggers count changes
 * of earlier spans.
 */
export function tallied(storeSpans: Step[]): Step[] {
  return [
    once('UPDATE tally SET last_span_no = (SELECT coalesce(max(span_no), 0) FROM spans)'),
    ...storeSpans,
    ...[COUNT_IN_TRACES, TAKE_ROOTS, COUNT_CALLS, COUNT_OF_KEYS, QUEUE_TEXTS].map(once),
    once(`UPDATE tally SET last_span_no = ${ALL}`),
  ];
}
