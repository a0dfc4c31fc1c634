import type { TraceDetail } from '@dacapo/protocol';

/** A trace as the service answers it, with what every answer has. */
export function traceDetail(id: string, facts: Partial<TraceDetail> = {}): TraceDetail {
  return {
    id,
    trace_function_key: 'desk',
    name: 'desk',
    type: 'custom',
    status: 'ok',
    started_at: '2026-01-31T12:00:00.000000Z',
    span_count: 1,
    error_count: 0,
    metadata: {},
    contexts: {},
    spans: [],
    ...facts,
  };
}
