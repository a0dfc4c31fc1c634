import { type Divergence, LIMITS, type TestRunItemReport } from '@dacapo/protocol';
import { type Divergence as FoundDivergence, toItemUsage } from '@dacapo/evaluation';
import type { ReplayItem } from './replay-result.js';
import type { RecordedOutcome } from './judge-item.js';

/** How the outputs of a run were compared, where not as they are. */
export type ComparedBy = NonNullable<TestRunItemReport['compared_by']>;

/** An item of a replay as the service is told of it. */
export function reportOf(
  item: ReplayItem,
  { result, error }: RecordedOutcome,
  comparedBy: ComparedBy | undefined,
): TestRunItemReport {
  const { divergences, verdict, sourceTraceId, sourceSpanId, traceId, spanId, durationMs } = item;
  const { usage, originalUsage } = item;
  return {
    item_no: item.itemNo,
    source_trace_id: sourceTraceId,
    ...(sourceSpanId !== undefined && { source_span_id: sourceSpanId }),
    ...(traceId !== undefined && { new_trace_id: traceId }),
    ...(spanId !== undefined && { new_span_id: spanId }),
    verdict,
    ...(item.fixed && { fixed: true }),
    ...(item.failingAsBefore && { failing_as_before: true }),
    ...(comparedBy && { compared_by: comparedBy }),
    ...(error === undefined && result?.json !== undefined && { result: result.json }),
    ...(error && { error }),
    ...(durationMs !== undefined && { duration_ms: durationMs }),
    ...(usage && { usage: toItemUsage(usage) }),
    ...(originalUsage && { original_usage: toItemUsage(originalUsage) }),
    ...(result?.meta && { meta: { output: result.meta } }),
    divergences: divergences.slice(0, LIMITS.divergences).map(toRecord),
    ...(divergences.length > LIMITS.divergences && { divergence_count: divergences.length }),
  };
}

function toRecord(divergence: FoundDivergence): Divergence {
  const { kind, path, sourceSpanId, spanId, recordedArguments, newArguments, reason } = divergence;
  return {
    kind,
    path,
    ...(sourceSpanId !== undefined && { source_span_id: sourceSpanId }),
    ...(spanId !== undefined && { new_span_id: spanId }),
    ...(recordedArguments !== undefined && { recorded_arguments: recordedArguments }),
    ...(newArguments !== undefined && { new_arguments: newArguments }),
    ...(reason !== undefined && { reason }),
  };
}
