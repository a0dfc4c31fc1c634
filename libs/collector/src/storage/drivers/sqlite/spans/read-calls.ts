import type { RecordedCall } from '@dacapo/protocol';
import type { Connection } from '../connection.js';
import { decodePayload, PAYLOAD_COLUMNS, type PayloadRow } from './payload.js';
import { type SpanRow, toTiming } from './rows.js';

type CallRow = SpanRow & PayloadRow & { session_id: string | null };

const READ_CALLS = `SELECT s.trace_id, s.span_id, s.parent_id, s.trace_function_key, s.name, s.type, s.status, s.started_us,
    s.ended_us, s.duration_ms, t.session_id, ${PAYLOAD_COLUMNS}
  FROM json_each(?) AS wanted
  JOIN spans s ON s.span_no = wanted.value
  JOIN span_payloads p ON p.span_no = s.span_no
  JOIN traces t ON t.account_id = s.account_id AND t.trace_id = s.trace_id
  ORDER BY wanted.key`;

/** These spans with what went in and came out, in this order. */
export async function readCalls(database: Connection, spanNos: number[]): Promise<RecordedCall[]> {
  return (await readCallRows(database, spanNos)).map(toRecordedCall);
}

export function readCallRows(database: Connection, spanNos: number[]): Promise<CallRow[]> {
  return database.all<CallRow>(READ_CALLS, [JSON.stringify(spanNos)]);
}

export function toRecordedCall(row: CallRow): RecordedCall {
  const { input, output, error, meta } = decodePayload(row);
  const { started_at, duration_ms } = toTiming(row);
  return {
    trace_id: row.trace_id,
    span_id: row.span_id,
    name: row.name,
    type: row.type,
    status: row.status,
    started_at,
    ...(duration_ms !== undefined && { duration_ms }),
    ...(row.session_id !== null && { session_id: row.session_id }),
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error }),
    ...(meta !== undefined && { meta }),
  };
}
