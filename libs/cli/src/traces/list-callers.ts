import type { SpanSummary } from '@dacapo/protocol';

/**
 * The callers of a span among those of its trace, from the outermost down to the span itself. A circle, which no tracer records, is
 * followed once.
 *
 * @param byId the spans of the trace
 */
export function listCallers(byId: ReadonlyMap<string, SpanSummary>, span: SpanSummary): SpanSummary[] {
  const way = new Set([span]);
  let caller = byId.get(span.parent_id ?? '');
  while (caller !== undefined && !way.has(caller)) {
    way.add(caller);
    caller = byId.get(caller.parent_id ?? '');
  }
  return [...way].reverse();
}
