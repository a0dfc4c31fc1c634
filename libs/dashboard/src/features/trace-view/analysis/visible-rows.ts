import type { SpanSummary } from '@dacapo/protocol';
import type { SpanNode } from '../../../shared/spans/build-tree.js';

/** One visible line of the tree. */
export interface TreeRow {
  span: SpanSummary;
  /** 1 at the top, as `aria-level` counts. */
  level: number;
  /** Position among its siblings, from 1. */
  position: number;
  siblings: number;
  /** Absent on a leaf. */
  isExpanded?: boolean;
  isOrphan: boolean;
}

/** The rows from top to bottom, without descendants of collapsed spans. Iterative, so any depth works. */
export function visibleRows(
  roots: readonly SpanNode[],
  collapsed: ReadonlySet<string> = new Set(),
): TreeRow[] {
  const rows: TreeRow[] = [];
  const waiting: [node: SpanNode, level: number, position: number, siblings: number][] = [];
  const push = (nodes: readonly SpanNode[], level: number) => {
    for (let index = nodes.length - 1; index >= 0; index -= 1) {
      const node = nodes[index];
      if (node) waiting.push([node, level, index + 1, nodes.length]);
    }
  };
  push(roots, 1);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [{ span, children, isOrphan }, level, position, siblings] = next;
    const isParent = children.length > 0;
    const isExpanded = !collapsed.has(span.id);
    rows.push({ span, level, position, siblings, isOrphan, ...(isParent ? { isExpanded } : {}) });
    if (isExpanded) push(children, level + 1);
  }
  return rows;
}
