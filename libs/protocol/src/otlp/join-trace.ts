import type { SpanRecord } from '../records/span.js';
import type { TraceRecord } from '../records/trace.js';
import { pickLabels } from '../records/trace-facts.js';

/** Whether no span of the same trace and service is around the span. */
export function isOutermost({ parent_id, span_data }: SpanRecord): boolean {
  return parent_id === undefined || span_data.meta?.remote_parent === true;
}

/** Adds the facts of its trace to an exported span: labels to each span, tags, metadata and contexts to the outermost ones. */
export function joinTrace(span: SpanRecord, trace: TraceRecord | undefined): SpanRecord {
  if (trace === undefined) return span;
  const labels = pickLabels(trace);
  if (!isOutermost(span)) return { ...span, ...labels };
  const { tags, metadata, contexts } = trace;
  return {
    ...span,
    ...labels,
    ...(tags && { tags }),
    ...(metadata && { trace_metadata: metadata }),
    ...(contexts && { trace_contexts: contexts }),
  };
}
