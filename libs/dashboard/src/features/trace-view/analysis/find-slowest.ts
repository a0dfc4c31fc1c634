import type { SpanSummary } from '@dacapo/protocol';
import type { SpanNode } from '../../../shared/spans/build-tree.js';
import { compareWithUsual, type UsualDurations } from '../../../shared/usual-duration/compare-with-usual.js';

/** A child explains its caller when it has at least this share of the caller's time beyond the median. */
const SHARE_OF_CHILD = 0.5;

/** The slow span with the most time beyond its median. Of nested slow spans, the innermost with at least half of that time. */
export function findSlowest(roots: readonly SpanNode[], usual: UsualDurations): SpanSummary | undefined {
  const excess = ({ span }: SpanNode): number =>
    compareWithUsual(span, usual) === undefined
      ? 0
      : (span.duration_ms ?? 0) - (usual[span.trace_function_key]?.p50_ms ?? 0);
  let slowest: { node: SpanNode; excessMs: number } | undefined;
  const waiting = [...roots];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const excessMs = excess(node);
    if (excessMs > (slowest?.excessMs ?? 0)) slowest = { node, excessMs };
    for (const child of node.children) waiting.push(child);
  }
  const lostMs = slowest?.excessMs ?? 0;
  let found = slowest?.node;
  const below = [...(found?.children ?? [])];
  for (let node = below.pop(); node; node = below.pop()) {
    const isWhereItWent = excess(node) >= SHARE_OF_CHILD * lostMs && excess(node) > 0;
    if (isWhereItWent) {
      found = node;
      below.length = 0;
    }
    for (const child of node.children) below.push(child);
  }
  return found?.span;
}
