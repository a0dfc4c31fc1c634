import type { SpanNode } from '../../../shared/spans/build-tree.js';
import type { Interval, Intervals } from './intervals.js';

/** A piece of the critical path: the trace waited for this span itself. */
export interface PathPiece extends Interval {
  spanId: string;
}

/**
 * Splits the duration of a root into pieces without gaps, from its end to its start. A piece belongs to the child that ended last before
 * that moment, or to the span itself when no child ran.
 */
export function findCriticalPath(root: SpanNode, intervals: Intervals): PathPiece[] {
  const pieces: PathPiece[] = [];
  const lasting = intervals.get(root.span.id);
  if (lasting === undefined) return pieces;
  const open: { node: SpanNode; startUs: number; children: [SpanNode, Interval][] }[] = [];
  const enter = (node: SpanNode, startUs: number) => {
    const children = node.children.flatMap((child): [SpanNode, Interval][] => {
      const own = intervals.get(child.span.id);
      return own === undefined ? [] : [[child, own]];
    });
    open.push({ node, startUs, children: children.sort(([, left], [, right]) => left.endUs - right.endUs) });
  };
  let atUs = lasting.endUs;
  const add = (spanId: string, startUs: number) => {
    if (startUs < atUs) pieces.push({ spanId, startUs, endUs: atUs });
    atUs = Math.min(atUs, startUs);
  };
  enter(root, lasting.startUs);
  for (let current = open.at(-1); current; current = open.at(-1)) {
    const next = current.children.pop();
    if (next === undefined) {
      add(current.node.span.id, current.startUs);
      open.pop();
      continue;
    }
    const [child, own] = next;
    if (own.endUs <= atUs && own.startUs < own.endUs) {
      add(current.node.span.id, own.endUs);
      enter(child, own.startUs);
    }
  }
  return pieces;
}
