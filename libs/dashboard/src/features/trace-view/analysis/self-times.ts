import type { SpanNode } from '../../../shared/spans/build-tree.js';
import type { Interval, Intervals } from './intervals.js';

const NOWHERE: Interval = { startUs: 0, endUs: -Infinity };

/** Milliseconds in which a span ran and none of its children did, by span id. */
export function measureSelfTimes(
  roots: readonly SpanNode[],
  intervals: Intervals,
): ReadonlyMap<string, number> {
  const selfTimes = new Map<string, number>();
  const waiting = [...roots];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const own = intervals.get(node.span.id);
    if (own) {
      const lengthUs = own.endUs - own.startUs - measureUnion(node.children, intervals);
      selfTimes.set(node.span.id, Math.max(0, lengthUs) / 1000);
    }
    for (const child of node.children) waiting.push(child);
  }
  return selfTimes;
}

/** Microseconds that at least one of the spans covers. They are sorted by start, as siblings are. */
function measureUnion(spans: readonly SpanNode[], intervals: Intervals): number {
  let [sum, reachedUs] = [0, -Infinity];
  for (const { span } of spans) {
    const { startUs, endUs } = intervals.get(span.id) ?? NOWHERE;
    sum += Math.max(0, endUs - Math.max(startUs, reachedUs));
    reachedUs = Math.max(reachedUs, endUs);
  }
  return sum;
}
