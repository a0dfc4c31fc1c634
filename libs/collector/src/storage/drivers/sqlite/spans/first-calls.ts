import type { FirstCall } from '@dacapo/protocol';
import type { Connection } from '../connection.js';
import type { TraceRow } from './rows.js';

interface FirstCallRow {
  trace_id: string;
  name: string;
  input_preview: string | null;
  output_preview: string | null;
}

/** Longer traces are not looked through: all spans of a trace are read for its first call. */
const MAX_SPANS = 5_000;

/** What NestJS requests are recorded with: of every one the same, but for the path. */
const REQUEST_INPUT = /^\[\{"method":"[A-Z-]+","path":"/;

/**
 * By trace id, the call that tells one trace from the next: the first of `key`; without a key, of a request, the first
 * inside it. Traces whose root is that call, and very long ones, have none.
 */
export async function firstCalls(
  database: Connection,
  accountId: string,
  traces: readonly TraceRow[],
  key: string | undefined,
): Promise<Map<string, FirstCall>> {
  const asked = traces.filter(
    (trace) =>
      trace.span_count <= MAX_SPANS &&
      (key === undefined ? isRequest(trace) : trace.trace_function_key !== key),
  );
  if (asked.length === 0) return new Map();
  const rows = await database.all<FirstCallRow>(
    `SELECT f.trace_id, f.name, f.input_preview, f.output_preview FROM json_each(?) w CROSS JOIN spans f
      ON f.span_no = (SELECT s.span_no FROM spans s
        WHERE s.account_id = ? AND s.trace_id = w.value ->> 0
          AND ${key === undefined ? 's.parent_id = w.value ->> 1' : 's.trace_function_key = ?'}
        ORDER BY s.started_us, s.span_no LIMIT 1)`,
    [
      JSON.stringify(asked.map((trace) => [trace.trace_id, trace.root_span_id])),
      accountId,
      ...(key === undefined ? [] : [key]),
    ],
  );
  return new Map(rows.map((row) => [row.trace_id, toFirstCall(row)]));
}

function isRequest({ input_preview: input }: TraceRow): boolean {
  return input !== null && REQUEST_INPUT.test(input);
}

function toFirstCall({ name, input_preview: input, output_preview: output }: FirstCallRow): FirstCall {
  return {
    name,
    ...(input !== null && { input_preview: input }),
    ...(output !== null && { output_preview: output }),
  };
}
