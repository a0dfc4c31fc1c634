import type { SpanSummary } from '@dacapo/protocol';
import { buildTree, type SpanNode } from '../../shared/spans/build-tree.js';

/** One place in two traces; a side is absent where the other has a span more. */
export interface AlignedRow {
  depth: number;
  left?: SpanSummary;
  right?: SpanSummary;
  /** It comes at another place among its siblings. */
  isMoved?: true;
}

interface Pair {
  left?: SpanNode;
  right?: SpanNode;
  isMoved?: true;
}

/**
 * Sets the spans of two traces beside each other, from the outermost in: below two spans that belong together, the first call of a key,
 * name and type stands beside the first such call, the second beside the second. What one trace alone has comes where it was made.
 *
 * @param calls ids of spans that belong together, whatever they are called: only these and what is inside. Without effect where one is
 *   not there
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
    const known = waiting.get(kindOf(node));
    if (known) known.push(index);
    else waiting.set(kindOf(node), [index]);
  });
  for (const indexes of waiting.values()) indexes.reverse();
  const partners = left.map((node) => waiting.get(kindOf(node))?.pop());
  const taken = new Set(partners);
  const pairs: Pair[] = [];
  let told = 0;
  let furthest = -1;
  const tellAlone = (until: number) => {
    for (; told < until; told += 1) {
      const node = right[told];
      if (node && !taken.has(told)) pairs.push({ right: node });
    }
  };
  left.forEach((node, index) => {
    const partner = partners[index];
    const other = partner === undefined ? undefined : right[partner];
    if (partner === undefined || other === undefined) {
      pairs.push({ left: node });
      return;
    }
    tellAlone(partner);
    pairs.push({ left: node, right: other, ...(partner < furthest && { isMoved: true }) });
    furthest = Math.max(furthest, partner);
  });
  tellAlone(right.length);
  return pairs;
}

function kindOf({ span }: SpanNode): string {
  return JSON.stringify([span.trace_function_key, span.name, span.type]);
}
