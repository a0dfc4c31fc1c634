import type { SpanStatus } from '@dacapo/protocol';
import type { Connection } from '../connection.js';

export interface OutermostCall {
  trace_id: string;
  span_no: number;
  status: SpanStatus;
  test_run_id: string | null;
  payload_bytes: number;
}

/** Parents of parents are followed this far: a hostile trace may make them a circle. */
const ANCESTORS_FOLLOWED = 1000;

const OUTERMOST_CALLS = `
WITH RECURSIVE
  calls AS (
    SELECT trace_id, span_id, parent_id, span_no, status, test_run_id, payload_bytes, started_us FROM spans
    WHERE account_id = ?1 AND trace_id IN (SELECT value FROM json_each(?3)) AND trace_function_key = ?2
  ),
  climb(span_no, trace_id, parent_id, depth, is_inner) AS (
    SELECT span_no, trace_id, parent_id, 0, 0 FROM calls
    UNION ALL
    SELECT c.span_no, c.trace_id, p.parent_id, c.depth + 1, p.trace_function_key = ?2
    FROM climb c JOIN spans p ON p.account_id = ?1 AND p.trace_id = c.trace_id AND p.span_id = c.parent_id
    WHERE NOT c.is_inner AND c.depth < ${ANCESTORS_FOLLOWED}
  ),
  depths AS (SELECT span_no, max(depth) AS depth FROM climb GROUP BY span_no HAVING NOT max(is_inner)),
  ranked AS (
    SELECT calls.*, row_number() OVER (PARTITION BY trace_id ORDER BY depth, started_us, span_no) AS rank
    FROM calls JOIN depths USING (span_no)
  )
SELECT trace_id, span_no, status, test_run_id, payload_bytes FROM ranked WHERE rank = 1`;

/** The call of the key in each of the traces, in the order of `traceIds`; traces without one are left out. */
export async function findOutermostCalls(
  database: Connection,
  accountId: string,
  traceFunctionKey: string,
  traceIds: string[],
): Promise<OutermostCall[]> {
  const calls = await database.all<OutermostCall>(OUTERMOST_CALLS, [
    accountId,
    traceFunctionKey,
    JSON.stringify(traceIds),
  ]);
  const byTrace = new Map(calls.map((call) => [call.trace_id, call]));
  return traceIds.flatMap((traceId) => byTrace.get(traceId) ?? []);
}
