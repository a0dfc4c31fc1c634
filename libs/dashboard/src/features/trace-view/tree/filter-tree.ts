import type { SpanSummary } from '@dacapo/protocol';
import type { SpanNode } from '../../../shared/spans/build-tree.js';

export interface SpanFilter {
  /** In the name, the key, the error or the model, without regard to case. */
  text: string;
  /** Empty: all types. */
  type: string;
}

export function isFiltering({ text, type }: SpanFilter): boolean {
  return text.trim() !== '' || type !== '';
}

export function matchesFilter(span: SpanSummary, { text, type }: SpanFilter): boolean {
  const searched = text.trim().toLowerCase();
  const texts = [span.name, span.trace_function_key, span.error_preview, span.usage?.model];
  return (
    (type === '' || span.type === type) &&
    (searched === '' || texts.some((each) => each?.toLowerCase().includes(searched)))
  );
}

/** The trees with the spans that match, and the ancestors of these. */
export function filterTree(roots: readonly SpanNode[], filter: SpanFilter): SpanNode[] {
  if (!isFiltering(filter)) return [...roots];
  // Parents before their children, so that the way back sees children first.
  const inOrder: SpanNode[] = [];
  const waiting = [...roots];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    inOrder.push(node);
    for (const child of node.children) waiting.push(child);
  }
  const kept = new Map<SpanNode, SpanNode>();
  for (const node of inOrder.reverse()) {
    const children = node.children.flatMap((child) => kept.get(child) ?? []);
    if (children.length > 0 || matchesFilter(node.span, filter)) kept.set(node, { ...node, children });
  }
  return roots.flatMap((root) => kept.get(root) ?? []);
}
