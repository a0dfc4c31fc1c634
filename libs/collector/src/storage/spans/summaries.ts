import type { SpanSummary, TraceRecord } from '@dacapo/protocol';
import { MAIN_THREAD, type Turns } from '../../memory/turns.js';
import type { FoundTrace } from '../ports/span-store.js';
import { readOrigin } from '../rules/preview.js';
import { type SpanSummaryRow, toSpanSummary, toTraceSummary, type TraceRow } from './rows.js';

/** Rows to convert before other requests get their turn. */
const ROWS_IN_A_TURN = 1000;

async function toSpanSummaries(
  rows: readonly SpanSummaryRow[],
  turns: Pick<Turns, 'next'>,
): Promise<SpanSummary[]> {
  const spans: SpanSummary[] = [];
  for (const row of rows) {
    spans.push(toSpanSummary(row));
    if (spans.length % ROWS_IN_A_TURN === 0) await turns.next();
  }
  return spans;
}

/** The rows of a trace and of a page of its spans. */
export interface TraceRows {
  trace: TraceRow;
  /** References of its root span to other traces. */
  origin: { started_by?: unknown; links?: unknown };
  record: Pick<TraceRecord, 'metadata' | 'contexts'> | undefined;
  /** In order. One more than the page if there are more. */
  spans: readonly SpanSummaryRow[];
}

export async function toFoundTrace(
  accountId: string,
  { trace, origin, record, spans }: TraceRows,
  limit: number,
): Promise<FoundTrace> {
  const page = await toSpanSummaries(spans.slice(0, limit), MAIN_THREAD.of(accountId));
  const [last, lastRow] = [page.at(-1), spans[limit - 1]];
  const hasMore = spans.length > limit && last !== undefined && lastRow !== undefined;
  return {
    ...toTraceSummary(trace),
    ...readOrigin(origin.started_by, origin.links),
    metadata: record?.metadata ?? {},
    contexts: record?.contexts ?? {},
    spans: page,
    ...(hasMore && { next: [last.started_at, lastRow.span_no] as const }),
  };
}
