import type { SpanSummary } from '@dacapo/protocol';

export interface SpanNode {
  span: SpanSummary;
  children: SpanNode[];
  /** Its parent never arrived, so it is a root. */
  isOrphan: boolean;
}

/**
 * Builds the trees of a trace, siblings sorted by start. Every span appears exactly once: spans with a missing parent
 * and spans in a cycle of parents become roots.
 */
export function buildTree(spans: readonly SpanSummary[]): SpanNode[] {
  const nodes = new Map<string, SpanNode>();
  for (const span of spans) nodes.set(span.id, { span, children: [], isOrphan: false });

  const roots: SpanNode[] = [];
  for (const node of nodes.values()) {
    const parent = findParent(node, nodes);
    if (parent && !isInCycle(node, nodes)) {
      parent.children.push(node);
    } else {
      node.isOrphan = node.span.parent_id !== undefined;
      roots.push(node);
    }
  }
  for (const node of nodes.values()) node.children.sort(byStart);
  return roots.sort(byStart);
}

function findParent(node: SpanNode, nodes: ReadonlyMap<string, SpanNode>): SpanNode | undefined {
  return node.span.parent_id === undefined ? undefined : nodes.get(node.span.parent_id);
}

/** Whether the ancestors of this node include the node itself. */
function isInCycle(node: SpanNode, nodes: ReadonlyMap<string, SpanNode>): boolean {
  const seen = new Set<SpanNode>();
  let ancestor = findParent(node, nodes);
  while (ancestor && !seen.has(ancestor)) {
    if (ancestor === node) return true;
    seen.add(ancestor);
    ancestor = findParent(ancestor, nodes);
  }
  return false;
}

function byStart(left: SpanNode, right: SpanNode): number {
  return (
    left.span.started_at.localeCompare(right.span.started_at) || left.span.id.localeCompare(right.span.id)
  );
}
