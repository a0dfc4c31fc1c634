import { isJsonObject, type JsonObject, type SpanRecord } from '@dacapo/protocol';

export interface SpanOfResource {
  readonly span: SpanRecord;
  /** Spans of one resource share the object. */
  readonly resource: object;
  /** The sender recorded the contexts, which are kept as they are. */
  readonly hasOwnContexts: boolean;
}

/**
 * Removes the resource from each span whose parent in the same request has that resource too. Readers find it on the nearest ancestor
 * that has one.
 */
export function shareResources(spans: readonly SpanOfResource[]): void {
  const byId = new Map<string, object>();
  for (const { span, resource, hasOwnContexts } of spans)
    if (!hasOwnContexts) byId.set(`${span.trace_id}/${span.id}`, resource);
  for (const { span, resource, hasOwnContexts } of spans) {
    const { trace_id, parent_id, span_data } = span;
    if (hasOwnContexts || parent_id === undefined || span_data.contexts === undefined) continue;
    if (byId.get(`${trace_id}/${parent_id}`) === resource)
      span_data.contexts = span_data.contexts.map(withoutResource);
  }
}

function withoutResource(context: JsonObject): JsonObject {
  const { otel } = context;
  if (otel === undefined || !isJsonObject(otel) || !('resource' in otel)) return context;
  const shared = { ...otel };
  delete shared['resource'];
  return { ...context, otel: shared };
}
