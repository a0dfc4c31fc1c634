import type { SpanRecord } from '@dacapo/protocol';
import type { Connection } from '../connection.js';
import { decodePayload, PAYLOAD_COLUMNS, type PayloadRow } from './payload.js';
import { SPAN_COLUMNS, type SpanRow, toTiming } from './rows.js';

export async function findSpan(
  database: Connection,
  accountId: string,
  traceId: string,
  spanId: string,
): Promise<SpanRecord | undefined> {
  const [row] = await database.all<SpanRow & PayloadRow>(
    `SELECT ${SPAN_COLUMNS}, ${PAYLOAD_COLUMNS} FROM spans JOIN span_payloads USING (span_no)
      WHERE account_id = ? AND trace_id = ? AND span_id = ?`,
    [accountId, traceId, spanId],
  );
  return row && toSpanRecord(row);
}

function toSpanRecord(row: SpanRow & PayloadRow): SpanRecord {
  return {
    id: row.span_id,
    trace_id: row.trace_id,
    ...(row.parent_id !== null && { parent_id: row.parent_id }),
    trace_function_key: row.trace_function_key,
    name: row.name,
    type: row.type,
    status: row.status,
    ...toTiming(row),
    span_data: decodePayload(row),
    ...(row.test_run_id !== null && { test_run_id: row.test_run_id }),
    ...(row.source_span_id !== null && { source_span_id: row.source_span_id }),
  };
}
