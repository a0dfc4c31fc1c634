import { newSpanId, newTraceId, type ScoreRecord, type SpanRecord } from '@dacapo/protocol';

/** A finished span of a new trace. */
export function span(overrides: Partial<SpanRecord> = {}): SpanRecord {
  return {
    id: newSpanId(),
    trace_id: newTraceId(),
    trace_function_key: 'answer',
    name: 'answer',
    type: 'llm',
    status: 'ok',
    started_at: '2026-01-31T12:00:00.000000Z',
    ended_at: '2026-01-31T12:00:01.500000Z',
    duration_ms: 1500,
    span_data: { input: ['question'], output: 'answer' },
    ...overrides,
  };
}

/** A person's score of a new trace. */
export function score(overrides: Partial<ScoreRecord> = {}): ScoreRecord {
  const hasTarget = overrides.session_id !== undefined || overrides.test_run_id !== undefined;
  return {
    id: newTraceId(),
    name: 'helpful',
    value: 1,
    author: { kind: 'person', name: 'ann' },
    created_at: '2026-01-31T12:00:00.000000Z',
    ...(!hasTarget && { trace_id: newTraceId() }),
    ...overrides,
  };
}

/** A span that was sent before it ended. */
export function unfinished(finished: SpanRecord): SpanRecord {
  const begun = {
    ...finished,
    status: 'unfinished' as const,
    span_data: { input: finished.span_data.input ?? [] },
  };
  delete begun.ended_at;
  delete begun.duration_ms;
  return begun;
}

export function startedAt(second: number): string {
  return `2026-01-31T12:00:${String(second).padStart(2, '0')}.000000Z`;
}
