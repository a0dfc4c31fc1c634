import type { SpanSummary } from '@dacapo/protocol';
import type { Turns } from '../../memory/turns.js';
import { type SpanSummaryRow, toSpanSummary } from './rows.js';

/** Rows made summaries in one go; other requests have their turn in between. */
const ROWS_IN_A_TURN = 1000;

export async function toSpanSummaries(
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
