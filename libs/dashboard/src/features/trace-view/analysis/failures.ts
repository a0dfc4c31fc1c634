import type { SpanSummary } from '@dacapo/protocol';
import type { TreeRow } from './visible-rows.js';

/** The innermost span of the first failure: the first failed span without a failed descendant. */
export function firstFailure(rows: readonly TreeRow[]): SpanSummary | undefined {
  let outermost: TreeRow | undefined;
  for (const row of rows) {
    if (outermost && row.level <= outermost.level) break;
    if (row.span.status === 'error') outermost = row;
  }
  return outermost?.span;
}

/** The next failed span after the selected one. Wraps around. */
export function nextFailure(rows: readonly TreeRow[], selectedId: string): SpanSummary | undefined {
  const from = rows.findIndex((row) => row.span.id === selectedId);
  const isFailed = (row: TreeRow) => row.span.status === 'error';
  const next = rows.find((row, at) => at > from && isFailed(row)) ?? rows.find(isFailed);
  return next?.span;
}
