import type { SpanNode } from '../storage/span-store.js';

/** The calls of a key in one trace. */
export interface TraceCalls {
  /** In the order in which they started. */
  all: SpanNode[];
  /** No ancestor has the key; of several, the shallowest, then the earliest. */
  outermost: SpanNode;
  /** How many have an ancestor with the key. */
  inner: number;
}

/**
 * The calls of a key, by trace id; traces without one are left out.
 *
 * @param nodes calls of the key and all that is above them, those of each trace in the order in which they started
 */
export function callsByTrace(nodes: readonly SpanNode[], traceFunctionKey: string): Map<string, TraceCalls> {
  const traces = new Map<string, Map<string, SpanNode>>();
  for (const node of nodes) {
    const trace = traces.get(node.trace_id);
    if (trace === undefined) traces.set(node.trace_id, new Map([[node.span_id, node]]));
    else trace.set(node.span_id, node);
  }
  const found = new Map<string, TraceCalls>();
  for (const [traceId, trace] of traces) {
    const calls = callsOf(trace, traceFunctionKey);
    if (calls !== undefined) found.set(traceId, calls);
  }
  return found;
}

function callsOf(trace: ReadonlyMap<string, SpanNode>, traceFunctionKey: string): TraceCalls | undefined {
  const all = [...trace.values()].filter((node) => node.trace_function_key === traceFunctionKey);
  const [first] = all;
  if (first === undefined) return undefined;
  const depths = new Map<SpanNode, number>();
  let [outermost, least, inner] = [first, Infinity, 0];
  for (const call of all) {
    const depth = depthOf(call, trace, depths, traceFunctionKey);
    if (depth === Infinity) inner++;
    if (depth < least) [outermost, least] = [call, depth];
  }
  // Where the parents of all go in a circle, each is inside another: the first is as good as any.
  return { all, outermost, inner: Math.min(inner, all.length - 1) };
}

/** Ancestors that were recorded; below a call of the key it is infinite. Each is followed once, for they may go in a circle. */
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
