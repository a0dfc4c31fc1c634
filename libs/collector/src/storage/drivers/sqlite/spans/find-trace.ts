import type { JsonValue, TraceDetail } from '@dacapo/protocol';
import type { Connection } from '../connection.js';
import {
  JOIN_ROOT,
  SPAN_SUMMARY_COLUMNS,
  type SpanSummaryRow,
  toSpanSummary,
  toTraceSummary,
  TRACE_COLUMNS,
  type TraceRow,
} from './rows.js';

interface AttributeRow {
  kind: 'metadata' | 'context';
  key: string;
  value: string;
}

export async function findTrace(
  database: Connection,
  accountId: string,
  traceId: string,
): Promise<TraceDetail | undefined> {
  const [[trace], attributes, spans] = await Promise.all([
    database.all<TraceRow>(
      `SELECT ${TRACE_COLUMNS} FROM traces t ${JOIN_ROOT} WHERE t.account_id = ? AND t.trace_id = ?`,
      [accountId, traceId],
    ),
    database.all<AttributeRow>(
      'SELECT kind, key, value FROM trace_attributes WHERE account_id = ? AND trace_id = ? ORDER BY attribute_no',
      [accountId, traceId],
    ),
    database.all<SpanSummaryRow>(
      `SELECT ${SPAN_SUMMARY_COLUMNS} FROM spans WHERE account_id = ? AND trace_id = ? ORDER BY started_us, span_no`,
      [accountId, traceId],
    ),
  ]);
  if (!trace) return undefined;
  return {
    ...toTraceSummary(trace),
    metadata: collect(attributes, 'metadata'),
    contexts: collect(attributes, 'context'),
    spans: spans.map(toSpanSummary),
  };
}

function collect(attributes: AttributeRow[], kind: AttributeRow['kind']): Record<string, JsonValue> {
  return Object.fromEntries(
    attributes
      .filter((attribute) => attribute.kind === kind)
      .map(({ key, value }) => [key, JSON.parse(value) as JsonValue]),
  );
}
