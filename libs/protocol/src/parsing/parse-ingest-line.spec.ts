import { newSpanId, newTraceId } from '../ids/ids.js';
import { LIMITS } from '../limits.js';
import type { SpanRecord } from '../records/span.js';
import { parseIngestLine } from './parse-ingest-line.js';

function span(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: newSpanId(),
    trace_id: newTraceId(),
    trace_function_key: 'support.answer',
    name: 'answer',
    type: 'llm',
    status: 'ok',
    started_at: '2026-01-31T12:00:00.000000Z',
    span_data: {},
    ...changes,
  };
}

const parse = (record: unknown): ReturnType<typeof parseIngestLine> =>
  parseIngestLine({ number: 7, text: JSON.stringify(record) });

describe('parseIngestLine', () => {
  it('keeps all fields of a span and adds none', () => {
    const whole: SpanRecord = {
      id: newSpanId(),
      trace_id: newTraceId(),
      parent_id: newSpanId(),
      trace_function_key: 'k',
      name: 'n',
      type: 'agent',
      status: 'error',
      started_at: '2026-01-31T12:00:00.000000Z',
      ended_at: '2026-01-31T12:00:01.000000Z',
      duration_ms: 1000.5,
      span_data: {
        input: [1, null, { a: [] }],
        output: null,
        error: {
          name: 'E',
          message: 'm',
          stack: 's',
          code: 'C',
          cause: { name: 'F', message: 'n' },
          errors: [{ name: 'G', message: 'o', thrown: [1] }],
          class: 'HttpError',
          properties: { status: 429, at: '1970-01-01T00:00:00.000Z' },
          meta: { types: { '/properties/at': 'Date' } },
          cut: true,
        },
        prompt: 'p',
        contexts: [{ a: 1 }, { a: 2 }],
        usage: { model: 'm', input_tokens: 1 },
        meta: { replayable: false, rebuildable: true },
      },
      test_run_id: 't',
      source_span_id: newSpanId(),
      session_id: 's',
      trace_metadata: { a: 1 },
      trace_contexts: { b: [2] },
    };
    expect(parse({ span: whole })).toEqual({ span: whole });
    const bare = span();
    expect(parse({ span: bare })).toEqual({ span: bare });
  });

  it('distinguishes a null output from no output', () => {
    expect(parse({ span: span({ span_data: { output: null } }) })).toMatchObject({
      span: { span_data: { output: null } },
    });
    expect(parse({ span: span() })).not.toHaveProperty('span.span_data.output');
  });

  it('reads a trace patch, also one of version 0.1 without a time', () => {
    const trace = { id: newTraceId(), session_id: 's', metadata: { a: 1 }, contexts: { b: [2] } };
    expect(parse({ trace })).toEqual({ trace });
    const dated = { ...trace, at: '2026-01-31T12:00:00.000001Z' };
    expect(parse({ trace: dated })).toEqual({ trace: dated });
    expect(parse({ trace: { ...trace, at: 'now' } })).toHaveProperty('rejection');
  });

  it.each([
    [
      'an unknown type',
      { type: 'tool' },
      'span.type must be one of llm, agent, function, guardrail, handoff, custom, not "tool"',
    ],
    [
      'a missing key',
      { trace_function_key: undefined },
      'span.trace_function_key must be a string, not absent',
    ],
    ['a blank name', { name: ' ' }, 'span.name must not be blank'],
    [
      'a local time',
      { started_at: '2026-01-31T12:00:00' },
      'span.started_at must be an ISO 8601 time in UTC',
    ],
    ['a blank session', { session_id: '' }, 'span.session_id must not be blank'],
    [
      'metadata that is a list',
      { trace_metadata: [] },
      'span.trace_metadata must be an object, not an array',
    ],
    ['a negative duration', { duration_ms: -1 }, 'span.duration_ms must be a number of at least 0, not -1'],
    ['an input that is not an array', { span_data: { input: {} } }, 'span.span_data.input must be an array'],
    [
      'a context that is not an object',
      { span_data: { contexts: [{}, 1] } },
      'span.span_data.contexts[1] must be an object, not 1',
    ],
    [
      'a token count that is text',
      { span_data: { usage: { input_tokens: '9' } } },
      'span.span_data.usage.input_tokens must be a number',
    ],
    [
      'an error without a message',
      { span_data: { error: { name: 'E' } } },
      'span.span_data.error.message must be a string',
    ],
  ])('rejects %s with the field and the line', (_, change, detail) => {
    const record = span(change);
    expect(parse({ span: record })).toEqual({
      rejection: { line: 7, id: record['id'], detail: expect.stringContaining(`line 7: ${detail}`) },
    });
  });

  it.each([
    ['text', 'no json', 'line 7: is not JSON'],
    ['a list', '[]', 'line 7: must be an object with the key "span", "trace", "score" or "media"'],
    ['an empty object', '{}', 'line 7: must have the key "span", "trace", "score" or "media"'],
    ['a deep value', '['.repeat(9999), 'line 7: nests deeper than 512'],
  ])('rejects %s', (_, text, detail) => {
    expect(parseIngestLine({ number: 7, text })).toEqual({ rejection: { line: 7, detail } });
  });

  it('drops an error code that exceeds a double', () => {
    const error = { name: 'E', message: 'm', code: 7 };
    const text = JSON.stringify({ span: span({ span_data: { error } }) }).replace('"code":7', '"code":1e999');
    const { span: parsed } = parseIngestLine({ number: 1, text }) as { span: SpanRecord };
    expect(parsed.span_data.error).toEqual({ name: 'E', message: 'm' });
  });

  it('rejects a trace with too many names', () => {
    const many = Object.fromEntries(
      Array.from({ length: LIMITS.traceAttributes + 1 }, (_, at) => [`n${at}`, at]),
    );
    for (const [name, trace] of Object.entries({
      metadata: { metadata: many },
      contexts: { contexts: many },
    })) {
      expect(parse({ trace: { id: newTraceId(), ...trace } })).toMatchObject({
        rejection: { detail: `line 7: trace.${name} must have at most 1000 names, not 1001` },
      });
      expect(parse({ span: span({ [`trace_${name}`]: many }) })).toMatchObject({
        rejection: { detail: `line 7: span.trace_${name} must have at most 1000 names, not 1001` },
      });
    }
  });

  it('rejects a line with too many object members before parsing it', () => {
    const members = Array.from({ length: LIMITS.lineMembers + 1 }, (_, at) => `"${at}":0`).join(',');
    expect(parseIngestLine({ number: 7, text: `{${members}` })).toEqual({
      rejection: { line: 7, detail: 'line 7: has more than 100000 object members' },
    });
  });

  it('ignores inherited names', () => {
    expect(parseIngestLine({ number: 1, text: '{"__proto__":{"span":{}}}' })).toHaveProperty('rejection');
  });
});
