import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../json/json-value.js';
import { AUTHOR_KINDS, type ScoreRecord } from '../records/score.js';
import { type ErrorRecord, SPAN_KINDS, SPAN_LEVELS, SPAN_TYPES, type SpanRecord } from '../records/span.js';
import { formatTimestamp } from '../timestamp.js';
import { readJsonResource, readJsonScope, readJsonSpan, writeJsonRequest } from './json.js';
import { toOtlpSpan } from './to-otlp-span.js';
import { type ReadOtlpSpan, toSpanRecord } from './to-span-record.js';
import { withScores } from './write-score.js';

const label = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .filter((text) => text.trim() !== '');
const hex = (length: number) =>
  fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`)).filter((text) => !/^0+$/.test(text));
const json = fc
  .jsonValue({ noUnicodeString: false })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);
const members = fc
  .dictionary(label, json, { minKeys: 1, maxKeys: 4 })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);
const error: fc.Arbitrary<ErrorRecord> = fc.record({
  name: label,
  message: fc.string(),
  stack: label,
  code: fc.nat(),
});

const SCORED: SpanRecord = {
  id: '00f067aa0ba902b7',
  trace_id: '0af76519-16cd-43dd-8448-eb211c80319c',
  trace_function_key: 'desk',
  name: 'answer',
  type: 'llm',
  status: 'ok',
  started_at: '2026-01-01T00:00:00.000000Z',
  span_data: {},
};

const record: fc.Arbitrary<SpanRecord> = fc
  .record(
    {
      id: hex(16),
      trace_id: hex(32),
      trace_function_key: label,
      name: label,
      type: fc.constantFrom(...SPAN_TYPES),
      status: fc.constantFrom('ok' as const, 'cancelled' as const, 'unfinished' as const),
      startUs: fc.integer({ min: 1, max: 4e15 }),
      span_data: fc.record(
        {
          input: fc.array(json, { maxLength: 3 }),
          output: json,
          error,
          prompt: label,
          contexts: fc.array(members, { minLength: 1, maxLength: 2 }),
          usage: fc.record({ model: label, input_tokens: fc.nat(), output_tokens: fc.nat() }),
          meta: fc.constantFrom({ sync: true as const }, { remote_parent: true as const }),
        },
        { requiredKeys: [] },
      ),
      parent_id: hex(16),
      kind: fc.constantFrom(...SPAN_KINDS),
      level: fc.constantFrom(...SPAN_LEVELS),
      durationUs: fc.nat(),
      test_run_id: label,
      source_span_id: hex(16),
      session_id: label,
      user_id: label,
      environment: label,
      release: label,
      tags: fc.uniqueArray(label, { minLength: 1, maxLength: 3 }),
      trace_metadata: members,
      trace_contexts: members,
    },
    {
      requiredKeys: [
        'id',
        'trace_id',
        'trace_function_key',
        'name',
        'type',
        'status',
        'startUs',
        'span_data',
      ],
    },
  )
  .map(({ startUs, durationUs, trace_id, ...rest }) => ({
    ...rest,
    trace_id: trace_id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    started_at: formatTimestamp(startUs),
    ...(durationUs !== undefined && {
      ended_at: formatTimestamp(startUs + durationUs),
      duration_ms: durationUs / 1000 + 0.25,
    }),
  }));

const score: fc.Arbitrary<ScoreRecord> = fc.record(
  {
    id: fc.uuid(),
    trace_id: fc.constant(SCORED.trace_id),
    span_id: fc.constant(SCORED.id),
    name: label,
    value: fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      label,
      fc.constant(null),
    ),
    label,
    explanation: fc.string(),
    metadata: members,
    author: fc.record({ kind: fc.constantFrom(...AUTHOR_KINDS), name: label }),
    created_at: fc.integer({ min: 1, max: 4e15 }).map(formatTimestamp),
  },
  { requiredKeys: ['id', 'trace_id', 'name', 'value', 'author', 'created_at'] },
);

/** Through OTLP/JSON and back. */
function throughJson(sent: SpanRecord, scores: readonly ScoreRecord[] = []): ReadOtlpSpan {
  const text = JSON.stringify(writeJsonRequest([withScores(toOtlpSpan(sent), sent, scores)]));
  const request = JSON.parse(text) as {
    resourceSpans: [{ resource: JsonObject; scopeSpans: [{ scope: JsonObject; spans: [JsonObject] }] }];
  };
  const [{ resource, scopeSpans }] = request.resourceSpans;
  const [{ scope, spans }] = scopeSpans;
  const source = { resource: readJsonResource(resource), scope: readJsonScope(scope) };
  return toSpanRecord(readJsonSpan(spans[0]), source);
}

describe('a span record', () => {
  it('is the same after it was exported and came in again', () => {
    fc.assert(
      fc.property(record, (sent) => {
        expect(throughJson(sent).span).toEqual(sent);
      }),
    );
  });

  it('keeps its scores, and those of its trace if it is the outermost span', () => {
    fc.assert(
      fc.property(fc.array(score, { maxLength: 3 }), (scores) => {
        const sent = scores.map((one) => JSON.parse(JSON.stringify(one)) as JsonObject);
        expect(throughJson(SCORED, scores).scores.map(({ recorded }) => recorded)).toEqual(sent);
      }),
    );
  });

  it('has no scores of other spans, or of its trace if another span is around it', () => {
    const base = { trace_id: SCORED.trace_id, name: 'polite', value: true } as ScoreRecord;
    const inner = { ...SCORED, parent_id: 'b7ad6b7169203331' };
    const scores = [base, { ...base, span_id: 'b7ad6b7169203331' }, { ...base, trace_id: 'another' }];
    expect(throughJson(inner, scores).scores).toEqual([]);
    expect(throughJson(SCORED, scores).scores).toMatchObject([{ name: 'polite', value: 1, recorded: base }]);
  });

  it('is readable for others: operation, model, usage and messages are in the GenAI conventions', () => {
    const { span } = toOtlpSpan({
      ...SCORED,
      span_data: {
        input: [{ model: 'gpt-5', messages: [{ role: 'user', content: 'hi' }] }],
        output: { role: 'assistant', content: 'hello' },
        usage: { model: 'gpt-5', input_tokens: 3, output_tokens: 1, provider: 'openai' },
      },
    });
    expect(span.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-5',
      'gen_ai.provider.name': 'openai',
      'gen_ai.usage.input_tokens': 3,
      'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"hi"}]}]',
      'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":"hello"}]}]',
    });
  });
});
