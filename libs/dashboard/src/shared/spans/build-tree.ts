import type { SpanSummary } from '@dacapo/protocol';

export interface SpanNode {
  span: SpanSummary;
  children: SpanNode[];
  /** Its parent was named but never arrived: it stands at the top. */
  isOrphan: boolean;
}

/**
 * The trees that a trace's spans form, siblings by their start. Every span appears exactly once, whatever its
 * parent says: a missing parent makes a root, and so does a circle of parents.
 */
export function buildTree(spans: readonly SpanSummary[]): SpanNode[] {
  const nodes = new Map<string, SpanNode>();
  for (const span of spans) nodes.set(span.id, { span, children: [], isOrphan: false });

  const roots: SpanNode[] = [];
  for (const node of nodes.values()) {
    const parent = parentOf(node, nodes);
    if (parent && !isInCircle(node, nodes)) {
      parent.children.push(node);
    } else {
      node.isOrphan = node.span.parent_id !== undefined;
      roots.push(node);
    }
  }
  for (const node of nodes.values()) node.children.sort(byStart);
  return roots.sort(byStart);
}

function parentOf(node: SpanNode, nodes: ReadonlyMap<string, SpanNode>): SpanNode | undefined {
  return node.span.parent_id === undefined ? undefined : nodes.get(node.span.parent_id);
}

/** Whether following the parents leads back to this very node. */
function isInCircle(node: SpanNode, nodes: ReadonlyMap<string, SpanNode>): boolean {
  const seen = new Set<SpanNode>();
  let ancestor = parentOf(node, nodes);
  while (ancestor && !seen.has(ancestor)) {
    if (ancestor === node) return true;
    seen.add(ancestor);
    ancestor = parentOf(ancestor, nodes);
  }
  return false;
}

function byStart(left: SpanNode, right: SpanNode): number {
  return (
    left.span.started_at.localeCompare(right.span.started_at) || left.span.id.localeCompare(right.span.id)
  );
}
