import { LIMITS, parseTimestamp, type TraceRecord } from '@dacapo/protocol';
import type { MetaTransaction } from '../../../meta/transaction.js';
import type { FoundTrace, KnownTrace, Range, SpanPosition } from '../../../ports/span-store.js';
import { decodeFacts, toRecord } from '../../../spans/derive-trace.js';
import { SPAN_COLUMNS, type SpanSummaryRow, TRACE_COLUMNS, type TraceRow } from '../../../spans/rows.js';
import { toFoundTrace, type TraceRows } from '../../../spans/summaries.js';
import { OF_TRACES } from './tables.js';

export const JOIN_ROOT = `LEFT JOIN spans r
  ON r.account_id = t.account_id AND r.trace_id = t.trace_id AND r.span_id = t.root_span_id`;

const TRACE = `SELECT ${TRACE_COLUMNS}, t.facts, p.meta FROM traces t ${JOIN_ROOT}
  LEFT JOIN span_payloads p ON p.span_no = r.span_no
  WHERE t.account_id = :accountId AND t.trace_id = :traceId`;

/** Each statement sees whole batches, so a trace appears with its spans, and a span with its payload. */
export async function findTrace(
  db: MetaTransaction,
  accountId: string,
  traceId: string,
  { limit, after }: Range<SpanPosition> = { limit: LIMITS.spansOfTrace },
): Promise<FoundTrace | undefined> {
  const [afterAt, afterNo = 0] = after ?? [];
  const [trace, spans] = await Promise.all([
    db.get<TraceRow & { facts: string; meta: string | null }>(TRACE, { accountId, traceId }),
    db.all<SpanSummaryRow>(
      `SELECT ${SPAN_COLUMNS}, mocked FROM spans WHERE account_id = :accountId AND trace_id = :traceId
        ${afterAt === undefined ? '' : 'AND (started_us, span_no) > (:afterUs, :afterNo)'}
        ORDER BY started_us, span_no LIMIT :most`,
      { accountId, traceId, afterUs: parseTimestamp(afterAt ?? ''), afterNo, most: limit + 1 },
    ),
  ]);
  if (trace === undefined) return undefined;
  const record = toRecord(traceId, decodeFacts(traceId, trace.facts));
  const origin = JSON.parse(trace.meta ?? '{}') as TraceRows['origin'];
  return toFoundTrace(accountId, { trace, origin, record, spans }, limit);
}

export async function readFacts(
  db: MetaTransaction,
  accountId: string,
  traceIds: readonly string[],
): Promise<KnownTrace[]> {
  const rows = await db.all<{ trace_id: string; facts: string }>(
    `SELECT trace_id, facts FROM traces WHERE ${OF_TRACES}`,
    { accountId, traceIds: JSON.stringify(traceIds) },
  );
  return rows.map(({ trace_id: id, facts }) => ({ id, facts: decodeFacts(id, facts) }));
}

export async function readTraces(
  db: MetaTransaction,
  accountId: string,
  traceIds: readonly string[],
): Promise<TraceRecord[]> {
  return (await readFacts(db, accountId, traceIds)).map(({ id, facts }) => toRecord(id, facts));
}
