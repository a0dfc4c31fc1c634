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

  const circular = findCircular(nodes);
  const roots: SpanNode[] = [];
  for (const node of nodes.values()) {
    const parent = findParent(node, nodes);
    if (parent && !circular.has(node)) {
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

/** Spans whose ancestors include themselves. Looks at each span once, however deep the trees are. */
function findCircular(nodes: ReadonlyMap<string, SpanNode>): ReadonlySet<SpanNode> {
  const circular = new Set<SpanNode>();
  const walks = new Map<SpanNode, SpanNode>();
  for (const start of nodes.values()) {
    let node: SpanNode | undefined = start;
    while (node && !walks.has(node)) {
      walks.set(node, start);
      node = findParent(node, nodes);
    }
    if (node === undefined || walks.get(node) !== start) continue;
    while (node && !circular.has(node)) {
      circular.add(node);
      node = findParent(node, nodes);
    }
  }
  return circular;
}

/** Times are ISO 8601 in UTC with microseconds: they sort as texts. */
function byStart({ span: left }: SpanNode, { span: right }: SpanNode): number {
  if (left.started_at !== right.started_at) return left.started_at < right.started_at ? -1 : 1;
  return left.id < right.id ? -1 : 1;
}
