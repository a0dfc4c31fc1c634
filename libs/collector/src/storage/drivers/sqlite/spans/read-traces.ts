import {
  type JsonValue,
  type SpanSummary,
  type TraceDetail,
  type TraceFact,
  TraceFacts,
  type TraceRecord,
} from '@dacapo/protocol';
import { MAIN_THREAD } from '../../../../memory/turns.js';
import { readOrigin } from '../../../preview.js';
import type { KnownTrace } from '../../../span-store.js';
import type { Reader } from '../connection.js';
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
  trace_id: string;
  kind: 'metadata' | 'context';
  key: string;
  value: string;
  said_us: number;
}

export async function findTrace(
  database: Reader,
  accountId: string,
  traceId: string,
): Promise<TraceDetail | undefined> {
  const [[trace], [record], spans] = await Promise.all([
    database.all<TraceRow & { started_by: string | null; links: string | null }>(
      `SELECT ${TRACE_COLUMNS}, (SELECT meta -> '$.started_by' FROM span_payloads WHERE span_no = r.span_no) AS started_by,
        (SELECT meta -> '$.links' FROM span_payloads WHERE span_no = r.span_no) AS links
        FROM traces t ${JOIN_ROOT} WHERE t.account_id = ? AND t.trace_id = ?`,
      [accountId, traceId],
    ),
    readTraces(database, accountId, [traceId]),
    database.all<SpanSummaryRow>(
      `SELECT ${SPAN_SUMMARY_COLUMNS} FROM spans WHERE account_id = ? AND trace_id = ? ORDER BY started_us, span_no`,
      [accountId, traceId],
    ),
  ]);
  if (!trace) return undefined;
  return {
    ...toTraceSummary(trace),
    ...readOrigin(JSON.parse(trace.started_by ?? 'null'), JSON.parse(trace.links ?? 'null')),
    metadata: record?.metadata ?? {},
    contexts: record?.contexts ?? {},
    spans: await summariesOf(spans),
  };
}

/** Rows made summaries in one go; other requests have their turn in between. */
const ROWS_IN_A_TURN = 1000;

async function summariesOf(rows: readonly SpanSummaryRow[]): Promise<SpanSummary[]> {
  const spans: SpanSummary[] = [];
  for (const row of rows) {
    spans.push(toSpanSummary(row));
    if (spans.length % ROWS_IN_A_TURN === 0) await MAIN_THREAD.next();
  }
  return spans;
}

export async function readTraces(
  database: Reader,
  accountId: string,
  traceIds: string[],
): Promise<TraceRecord[]> {
  const known = await readFacts(database, accountId, traceIds);
  return known.map(({ id, facts }) => {
    const counting = new TraceFacts();
    counting.add(facts);
    return counting.toRecord(id);
  });
}

export async function readFacts(
  database: Reader,
  accountId: string,
  traceIds: string[],
): Promise<KnownTrace[]> {
  const wanted = [accountId, JSON.stringify(traceIds)];
  const these = 'account_id = ? AND trace_id IN (SELECT value FROM json_each(?))';
  const [traces, attributes] = await Promise.all([
    database.all<{ trace_id: string; session_id: string | null; session_us: number }>(
      `SELECT trace_id, session_id, session_us FROM traces WHERE ${these}`,
      wanted,
    ),
    database.all<AttributeRow>(
      `SELECT trace_id, kind, key, value, said_us FROM trace_attributes WHERE ${these} ORDER BY attribute_no`,
      wanted,
    ),
  ]);
  const byTrace = new Map<string, TraceFact[]>(traces.map(({ trace_id }) => [trace_id, []]));
  for (const { trace_id: traceId, session_id: session, session_us: saidUs } of traces) {
    if (session === null) continue;
    const fact = { kind: 'session', key: '', value: session, text: session } as const;
    byTrace.get(traceId)?.push({ traceId, saidUs, ...fact });
  }
  for (const { trace_id: traceId, kind, key, value: text, said_us: saidUs } of attributes) {
    byTrace.get(traceId)?.push({ traceId, kind, key, value: JSON.parse(text) as JsonValue, text, saidUs });
  }
  return Array.from(byTrace, ([id, facts]) => ({ id, facts }));
}
