import type { SpanSummary } from '@dacapo/protocol';
import { buildTree, type SpanNode } from '../../shared/spans/build-tree.js';

/** One row of two aligned traces. A side is absent when only the other has the span. */
export interface AlignedRow {
  depth: number;
  left?: SpanSummary;
  right?: SpanSummary;
  /** The span has a different place among its siblings. */
  isMoved?: true;
}

interface Pair {
  left?: SpanNode;
  right?: SpanNode;
  isMoved?: true;
}

/**
 * Aligns the spans of two traces from the root down. The children of a pair are matched by key, name and type, in order.
 * A span of one trace only keeps its place in the order of calls.
 *
 * @param calls ids of a span of each trace. Aligns only these two and their descendants, or both whole traces if an id is
 *   unknown
 */
export function alignTraces(
  left: readonly SpanSummary[],
  right: readonly SpanSummary[],
  calls?: { left: string; right: string },
): AlignedRow[] {
  const rows: AlignedRow[] = [];
  const open: (Pair & { depth: number })[] = [];
  const enter = (pairs: Pair[], depth: number) => {
    for (const pair of pairs.toReversed()) open.push({ ...pair, depth });
  };
  const trees = { left: buildTree(left), right: buildTree(right) };
  const call = calls && { left: find(trees.left, calls.left), right: find(trees.right, calls.right) };
  enter(
    call?.left && call.right ? [{ left: call.left, right: call.right }] : pairUp(trees.left, trees.right),
    0,
  );
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { depth, isMoved } = next;
    rows.push({
      depth,
      ...(next.left && { left: next.left.span }),
      ...(next.right && { right: next.right.span }),
      ...(isMoved && { isMoved }),
    });
    enter(pairUp(next.left?.children ?? [], next.right?.children ?? []), depth + 1);
  }
  return rows;
}

function find(roots: readonly SpanNode[], id: string): SpanNode | undefined {
  const open = [...roots];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.span.id === id) return node;
    open.push(...node.children);
  }
  return undefined;
}

function pairUp(left: readonly SpanNode[], right: readonly SpanNode[]): Pair[] {
  const waiting = new Map<string, number[]>();
  right.forEach((node, index) => {
    const known = waiting.get(pairingKey(node));
    if (known) known.push(index);
    else waiting.set(pairingKey(node), [index]);
  });
  for (const indexes of waiting.values()) indexes.reverse();
  const partners = left.map((node) => waiting.get(pairingKey(node))?.pop());
  const taken = new Set(partners);
  const pairs: Pair[] = [];
  let position = 0;
  let furthest = -1;
  const pushUnpaired = (until: number) => {
    for (; position < until; position += 1) {
      const node = right[position];
      if (node && !taken.has(position)) pairs.push({ right: node });
    }
  };
  left.forEach((node, index) => {
    const partner = partners[index];
    const other = partner === undefined ? undefined : right[partner];
    if (partner === undefined || other === undefined) {
      pairs.push({ left: node });
      return;
    }
    pushUnpaired(partner);
    pairs.push({ left: node, right: other, ...(partner < furthest && { isMoved: true }) });
    furthest = Math.max(furthest, partner);
  });
  pushUnpaired(right.length);
  return pairs;
}

function pairingKey({ span }: SpanNode): string {
  return JSON.stringify([span.trace_function_key, span.name, span.type]);
}
