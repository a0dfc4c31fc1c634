import { decodeText } from '../byte-string.js';
import {
  type Divergence,
  type ErrorRecord,
  type JsonValue,
  LIMITS,
  type TestRunItemReport,
} from '@dacapo/protocol';
import type { Capturer } from '../capture/capturer.js';
import type { ReplayDivergence, ReplayItem } from './replay-result.js';

/** An item of a replay as the service is told of it. */
export function reportOf(capturer: Capturer, itemNo: number, item: ReplayItem): TestRunItemReport {
  const result = 'error' in item || item.result === undefined ? undefined : capturer.capture(item.result);
  const { divergences } = item;
  return {
    item_no: itemNo,
    source_trace_id: item.sourceTraceId,
    ...(item.sourceSpanId !== undefined && { source_span_id: item.sourceSpanId }),
    ...(item.traceId !== undefined && { new_trace_id: item.traceId }),
    ...(item.spanId !== undefined && { new_span_id: item.spanId }),
    ...(result && { result: JSON.parse(result.json) as JsonValue }),
    ...('error' in item && {
      error: JSON.parse(decodeText(capturer.captureError(item.error))) as ErrorRecord,
    }),
    ...(item.durationMs !== undefined && { duration_ms: item.durationMs }),
    ...(result?.meta && { meta: { output: result.meta } }),
    ...(divergences && { divergences: divergences.slice(0, LIMITS.divergences).map(toRecord) }),
    ...(divergences && divergences.length > LIMITS.divergences && { divergence_count: divergences.length }),
  };
}

function toRecord(divergence: ReplayDivergence): Divergence {
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
