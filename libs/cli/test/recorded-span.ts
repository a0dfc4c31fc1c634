import { newSpanId } from '@dacapo/protocol';

/** A call that ended after 100 ms, as an application sends it. */
export function recordedSpan(traceId: string, key: string, facts: object = {}) {
  return {
    id: newSpanId(),
    trace_id: traceId,
    trace_function_key: key,
    name: key,
    type: 'function',
    status: 'ok',
    started_at: '2026-01-31T12:30:00.000000Z',
    duration_ms: 100,
    span_data: {},
    ...facts,
  };
}
