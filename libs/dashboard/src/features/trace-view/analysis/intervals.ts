import type { SpanSummary } from '@dacapo/protocol';
import type { SpanNode } from '../../../shared/spans/build-tree.js';
import { startUsOf } from './span-start.js';

/** A piece of time in microseconds. */
export interface Interval {
  startUs: number;
  endUs: number;
}

/** When each span ran, clipped to its parent: clocks differ between machines, and calls may outlive their caller. */
export type Intervals = ReadonlyMap<string, Interval>;

/** Parents come before their children. A span that has not ended runs as long as its parent, and a root as long as the trace. */
export function placeSpans(roots: readonly SpanNode[], traceEndUs: number): Intervals {
  const placed = new Map<string, Interval>();
  const waiting: [node: SpanNode, outer: Interval | undefined][] = roots.map((root) => [root, undefined]);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [{ span, children }, outer] = next;
    const own = placeSpan(span, outer, traceEndUs);
    placed.set(span.id, own);
    for (const child of children) waiting.push([child, own]);
  }
  return placed;
}

function placeSpan(span: SpanSummary, outer: Interval | undefined, traceEndUs: number): Interval {
  const startUs = startUsOf(span) ?? outer?.startUs ?? 0;
  const lastUs = outer?.endUs ?? traceEndUs;
  const endUs =
    span.status === 'unfinished' ? Math.max(startUs, lastUs) : startUs + (span.duration_ms ?? 0) * 1000;
  if (outer === undefined) return { startUs, endUs };
  const clippedUs = Math.min(Math.max(startUs, outer.startUs), outer.endUs);
  return { startUs: clippedUs, endUs: Math.min(Math.max(endUs, clippedUs), outer.endUs) };
}
