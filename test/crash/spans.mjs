import { randomBytes, randomUUID } from 'node:crypto';

/** Finished spans, each in its own trace. */
export function makeSpans(count, { key, text, startedAt = '2026-01-31T12:00:00.000000Z' }) {
  return Array.from({ length: count }, () => ({
    id: randomBytes(8).toString('hex'),
    trace_id: randomUUID(),
    trace_function_key: key,
    name: text,
    type: 'llm',
    status: 'ok',
    started_at: startedAt,
    ended_at: startedAt,
    duration_ms: 1,
    session_id: text,
    span_data: { input: [text], output: `${'large '.repeat(500)}${text}` },
  }));
}
