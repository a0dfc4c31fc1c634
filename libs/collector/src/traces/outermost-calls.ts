import type { SpanNode } from '../storage/span-store.js';

/** A call of the key that searches for the calls of one trace found. */
interface Placed {
  node: SpanNode;
  /** Ancestors that were recorded. */
  depth: number;
}

/**
 * Of each trace the outermost call of the key: no ancestor has the key; then the shallowest, then the earliest.
 *
 * @param nodes calls of the key and all that is above them, those of each trace in the order in which they started
 * @returns by trace id
 */
export function outermostCalls(nodes: readonly SpanNode[], traceFunctionKey: string): Map<string, SpanNode> {
  const traces = new Map<string, Map<string, SpanNode>>();
  for (const node of nodes) {
    const trace = traces.get(node.trace_id);
    if (trace === undefined) traces.set(node.trace_id, new Map([[node.span_id, node]]));
    else trace.set(node.span_id, node);
  }
  const found = new Map<string, SpanNode>();
  for (const [traceId, trace] of traces) {
    const call = outermostOf(trace, traceFunctionKey);
    if (call !== undefined) found.set(traceId, call);
  }
  return found;
}

function outermostOf(trace: ReadonlyMap<string, SpanNode>, traceFunctionKey: string): SpanNode | undefined {
  const depths = new Map<SpanNode, number>();
  let outermost: Placed | undefined;
  for (const node of trace.values()) {
    if (node.trace_function_key !== traceFunctionKey) continue;
    const depth = depthOf(node, trace, depths, traceFunctionKey);
    if (depth < (outermost?.depth ?? Infinity)) outermost = { node, depth };
  }
  return outermost?.node;
}

/** Below a call of the key it is infinite. Parents may go in a circle: each is followed once. */
function depthOf(
  node: SpanNode,
  trace: ReadonlyMap<string, SpanNode>,
  depths: Map<SpanNode, number>,
  traceFunctionKey: string,
): number {
  const parentOf = ({ parent_id: id }: SpanNode): SpanNode | undefined =>
    id === null ? undefined : trace.get(id);
  const path = new Set<SpanNode>();
  let above: SpanNode | undefined = node;
  while (above !== undefined && !depths.has(above) && !path.has(above)) {
    path.add(above);
    above = parentOf(above);
  }
  for (const one of [...path].reverse()) {
    const parent = parentOf(one);
    const parentDepth = parent && depths.get(parent);
    if (parentDepth === undefined) depths.set(one, 0);
    else depths.set(one, parent?.trace_function_key === traceFunctionKey ? Infinity : parentDepth + 1);
  }
  return depths.get(node) ?? 0;
}
