import { Fields, isSpanId, isTraceId, parseErrorRecord, type TestRunItemReport } from '@dacapo/protocol';
import { readDivergences } from './read-divergences.js';

/** @throws ProtocolError naming the field, when a required field is missing or any field has the wrong shape */
export function readItemReport(path: string, value: unknown): TestRunItemReport {
  const item = Fields.of(path, value);
  const traceId = (name: string): string => item.matching(name, isTraceId, 'a UUID in lower case');
  const spanId = (name: string): string => item.matching(name, isSpanId, '16 hex digits');
  const result = item.value('result');
  return {
    item_no: item.integer('item_no', 0, Number.MAX_SAFE_INTEGER),
    source_trace_id: traceId('source_trace_id'),
    ...((item.has('source_span_id') || !item.has('error')) && { source_span_id: spanId('source_span_id') }),
    ...(item.has('new_trace_id') && { new_trace_id: traceId('new_trace_id') }),
    ...(item.has('new_span_id') && { new_span_id: spanId('new_span_id') }),
    ...(result !== undefined && { result }),
    ...(item.has('error') && { error: parseErrorRecord(`${path}.error`, item.value('error')) }),
    ...(item.has('duration_ms') && { duration_ms: item.amount('duration_ms') }),
    ...(item.has('meta') && { meta: item.object('meta') }),
    ...(item.has('divergences') && { divergences: readDivergences(item) }),
    ...(item.has('divergence_count') && {
      divergence_count: item.integer('divergence_count', 0, Number.MAX_SAFE_INTEGER),
    }),
  };
}
