import type { UsageSpan } from '@dacapo/evaluation';
import type { SpanRecord } from '@dacapo/protocol';

/** Recorded spans as usage is counted from them. */
export function usageSpans(spans: readonly SpanRecord[]): (UsageSpan & { hasFailed: boolean })[] {
  return spans.map(({ id, parent_id: parentId, type, status, span_data: { usage } }) => ({
    spanId: id,
    parentId,
    type,
    usage,
    hasFailed: status === 'error',
  }));
}
