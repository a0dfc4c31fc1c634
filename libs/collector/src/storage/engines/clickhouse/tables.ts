import { FINISHED } from './record-rows.js';

/** Sorts the rows of one span, the one that counts first: joins most records, first finished, last unfinished. */
const WINNER = `parts DESC, rank DESC, if(rank = ${FINISHED}, toInt64(row_no), -toInt64(row_no))`;

const OF_ACCOUNT = 'account_id = {accountId:String}';

/** Rows of the traces `traceIds`. */
export const OF_TRACES = 'trace_id IN {traceIds:Array(String)}';

/**
 * A query of spans, each in its current state.
 *
 * @param where conditions on the identity only, because a row that does not count could match others
 */
export function currentSpans(where = OF_TRACES): string {
  return `(SELECT * FROM span_records WHERE ${OF_ACCOUNT} AND span_id != '' AND ${where}
    ORDER BY trace_id, span_id, ${WINNER} LIMIT 1 BY trace_id, span_id)`;
}

/** A query of traces in all of their versions. */
export const ALL_VERSIONS = `(SELECT * FROM trace_versions WHERE ${OF_ACCOUNT})`;

/** A query of traces, each in its latest version. @param where conditions on the identity or the days only */
export function currentTraces(where = '1'): string {
  const own = `${OF_ACCOUNT} AND ${where}`;
  return `(SELECT * FROM trace_versions WHERE ${own} AND (trace_id, records) IN (
    SELECT trace_id, max(records) FROM trace_versions WHERE ${own} GROUP BY trace_id) LIMIT 1 BY trace_id)`;
}

/** Ids of traces with a span that matches. @param where conditions on a span */
export function tracesWithSpan(where: string): string {
  return `(SELECT trace_id FROM span_records WHERE ${OF_ACCOUNT} AND span_id != '' AND ${where} AND (trace_id, row_no) NOT IN (
    SELECT trace_id, arrayJoin(superseded) FROM trace_versions WHERE ${OF_ACCOUNT}))`;
}

/** Traces `t`, joined with their calls `c` of each key. */
export function callsOf(traces = currentTraces()): string {
  return `${traces} AS t ARRAY JOIN t.calls AS c`;
}
