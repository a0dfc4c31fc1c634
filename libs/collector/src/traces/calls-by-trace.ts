import type { SpanNode } from '../storage/ports/span-store.js';

/** The calls of a key in one trace. */
export interface TraceCalls {
  /** The included calls, in the order of their starts. */
  all: SpanNode[];
  /** The included call without an included ancestor; if there are several, the shallowest, then the earliest. */
  outermost: SpanNode | undefined;
  /** Number of included calls with an included ancestor. */
  inner: number;
  /** Number of calls with the key that are not included. */
  others: number;
}

/**
 * Groups the calls of a key by trace id. Traces without such a call are absent.
 *
 * @param nodes calls of the key and their ancestors, in the order of their starts within each trace
 * @param isIncluded which calls of the key count; default: all
 */
export function callsByTrace(
  nodes: readonly SpanNode[],
  traceFunctionKey: string,
  isIncluded: (node: SpanNode) => boolean = () => true,
): Map<string, TraceCalls> {
  const isCall = (node: SpanNode): boolean =>
    node.trace_function_key === traceFunctionKey && isIncluded(node);
  const traces = new Map<string, Map<string, SpanNode>>();
  for (const node of nodes) {
    const trace = traces.get(node.trace_id);
    if (trace === undefined) traces.set(node.trace_id, new Map([[node.span_id, node]]));
    else trace.set(node.span_id, node);
  }
  const found = new Map<string, TraceCalls>();
  for (const [traceId, trace] of traces) {
    const ofKey = [...trace.values()].filter((node) => node.trace_function_key === traceFunctionKey).length;
    if (ofKey > 0) found.set(traceId, findCalls(trace, isCall, ofKey));
  }
  return found;
}

function findCalls(
  trace: ReadonlyMap<string, SpanNode>,
  isCall: (node: SpanNode) => boolean,
  ofKey: number,
): TraceCalls {
  const all = [...trace.values()].filter(isCall);
  const depths = new Map<SpanNode, number>();
  let [outermost, least, inner] = [all[0], Infinity, 0];
  for (const call of all) {
    const depth = measureDepth(call, trace, depths, isCall);
    if (depth === Infinity) inner++;
    if (depth < least) [outermost, least] = [call, depth];
  }
  // In a circle of parents each call is inside another, so the first one counts as outermost.
  return {
    all,
    outermost,
    others: ofKey - all.length,
    inner: Math.min(inner, Math.max(0, all.length - 1)),
  };
}

/** The number of recorded ancestors; infinite below an included call. Visits each ancestor once, because parents may form a circle. */
function measureDepth(
  node: SpanNode,
  trace: ReadonlyMap<string, SpanNode>,
  depths: Map<SpanNode, number>,
  isCall: (node: SpanNode) => boolean,
): number {
  const findParent = ({ parent_id: id }: SpanNode): SpanNode | undefined =>
    id === null ? undefined : trace.get(id);
  const path = new Set<SpanNode>();
  let above: SpanNode | undefined = node;
  while (above !== undefined && !depths.has(above) && !path.has(above)) {
    path.add(above);
    above = findParent(above);
  }
  for (const one of [...path].reverse()) {
    const parent = findParent(one);
    const parentDepth = parent && depths.get(parent);
    if (parent === undefined || parentDepth === undefined) depths.set(one, 0);
    else depths.set(one, isCall(parent) ? Infinity : parentDepth + 1);
  }
  return depths.get(node) ?? 0;
}
