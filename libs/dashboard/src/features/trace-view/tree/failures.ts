import type { SpanSummary } from '@dacapo/protocol';
import type { TreeRow } from './visible-rows.js';

/** Where the first error came from: the first failed span that no failed span is inside of. */
export function firstFailure(rows: readonly TreeRow[]): SpanSummary | undefined {
  let outermost: TreeRow | undefined;
  for (const row of rows) {
    if (outermost && row.level <= outermost.level) break;
    if (row.span.status === 'error') outermost = row;
  }
  return outermost?.span;
}

/** The failed span after the selected one, and after the last of them the first. */
export function nextFailure(rows: readonly TreeRow[], selectedId: string): SpanSummary | undefined {
  const from = rows.findIndex((row) => row.span.id === selectedId);
  const isFailed = (row: TreeRow) => row.span.status === 'error';
  const next = rows.find((row, at) => at > from && isFailed(row)) ?? rows.find(isFailed);
  return next?.span;
}
