import type { FirstCall } from '@dacapo/protocol';
import type { FirstSpanQuery } from '../../../ports/span-store.js';
import { type FirstSpanRow, toFirstCall } from '../../../spans/rows.js';
import type { Reader } from '../connection.js';

const FIRST_SPANS = `SELECT f.trace_id, f.name, f.input_preview, f.output_preview, f.error_preview
  FROM json_each(?) w CROSS JOIN spans f
  ON f.span_no = (SELECT s.span_no FROM spans s
    WHERE s.account_id = ? AND s.trace_id = w.value ->> 0
      AND s.trace_function_key = coalesce(w.value ->> 1, s.trace_function_key)
      AND (w.value ->> 2 IS NULL OR s.parent_id = w.value ->> 2) AND s.status = coalesce(w.value ->> 3, s.status)
    ORDER BY s.started_us, s.span_no LIMIT 1)`;

export async function findFirstSpans(
  database: Reader,
  accountId: string,
  queries: FirstSpanQuery[],
): Promise<(FirstCall & { trace_id: string })[]> {
  const wanted = queries.map(({ traceId, traceFunctionKey = null, parentId = null, status = null }) => [
    traceId,
    traceFunctionKey,
    parentId,
    status,
  ]);
  const rows = await database.all<FirstSpanRow>(FIRST_SPANS, [JSON.stringify(wanted), accountId]);
  return rows.map(toFirstCall);
}
