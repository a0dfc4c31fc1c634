import { FINISHED } from './record-rows.js';

/** Which of the rows of one span counts: the one joined of most records, the first finished one, the last unfinished one. */
const WINNER = `parts DESC, rank DESC, if(rank = ${FINISHED}, toInt64(row_no), -toInt64(row_no))`;

const OF_ACCOUNT = 'account_id = {accountId:String}';

/** Those of the traces `traceIds`. */
export const OF_TRACES = 'trace_id IN {traceIds:Array(String)}';

/**
 * Spans, each as it is by now.
 *
 * @param where conditions on their identity alone: a row that does not count may match others
 */
export function spansOf(where = OF_TRACES): string {
  return `(SELECT * FROM span_records WHERE ${OF_ACCOUNT} AND span_id != '' AND ${where}
    ORDER BY trace_id, span_id, ${WINNER} LIMIT 1 BY trace_id, span_id)`;
}

/** Traces, each in its latest version. @param where conditions on their identity alone */
export function tracesOf(where = '1'): string {
  const own = `${OF_ACCOUNT} AND ${where}`;
  return `(SELECT * FROM trace_versions WHERE ${own} AND (trace_id, records) IN (
    SELECT trace_id, max(records) FROM trace_versions WHERE ${own} GROUP BY trace_id) LIMIT 1 BY trace_id)`;
}

/** Ids of traces with a span that matches. @param where conditions on a span */
export function tracesWithSpan(where: string): string {
  return `(SELECT trace_id FROM span_records WHERE ${OF_ACCOUNT} AND span_id != '' AND ${where} AND (trace_id, row_no) NOT IN (
    SELECT trace_id, arrayJoin(superseded) FROM trace_versions WHERE ${OF_ACCOUNT}))`;
}

/** The calls of each key `c` in each trace `t`. */
export const CALLS = `${tracesOf()} AS t ARRAY JOIN t.calls AS c`;
