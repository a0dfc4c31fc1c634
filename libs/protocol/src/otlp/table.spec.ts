import type { JsonObject, JsonValue } from '../json/json-value.js';
import type { SpanRecord } from '../records/span.js';
import type { OtlpAttribute } from './attribute.js';
import { OTLP_FIELDS, type OtlpField } from './fields.js';
import type { OtlpSpan } from './otlp-span.js';
import { SPAN_TYPES_BY_NAME } from './span-types.js';
import { OTLP_CONVENTIONS } from './table.js';
import { toSpanRecord } from './to-span-record.js';

const AGENT: JsonObject = { 'dacapo.type': 'agent' };
const TOOL: JsonObject = { 'dacapo.type': 'function', 'dacapo.kind': 'tool' };
const MODEL: JsonObject = { 'dacapo.type': 'llm' };

interface Sample {
  readonly sent: JsonValue;
  /** Attributes of the span beside it. */
  readonly beside?: JsonObject;
  readonly read: (record: SpanRecord) => unknown;
  readonly expected?: JsonValue;
}

const usage = (sent: JsonValue, name: string, expected = sent): Sample => ({
  sent,
  beside: MODEL,
  read: ({ span_data }) => span_data.usage?.[name],
  expected,
});
const MESSAGES = [{ role: 'user', content: 'Where is my parcel?' }];
const MESSAGE = { role: 'assistant', content: 'On its way' };

/** A value for each meaning, and where it is found. */
const SAMPLES: Record<OtlpField, Sample> = {
  keep: { sent: true, read: ({ type }) => type === 'custom' },
  key: { sent: 'desk.answer', read: (record) => record.trace_function_key },
  type: { sent: 'llm', read: ({ type }) => type },
  kind: { sent: 'evaluator', beside: { 'dacapo.type': 'custom' }, read: ({ kind }) => kind },
  level: { sent: 'warn', read: ({ level }) => level },
  status: { sent: 'cancelled', read: ({ status }) => status },
  duration: { sent: 12.25, read: (record) => record.duration_ms },
  test_run: { sent: 'run-1', read: (record) => record.test_run_id },
  source_span: { sent: '00000000000000ab', read: (record) => record.source_span_id },
  recorded_input: { sent: '[1,{"a":2}]', read: ({ span_data }) => span_data.input, expected: [1, { a: 2 }] },
  recorded_output: { sent: '{"a":2}', read: ({ span_data }) => span_data.output, expected: { a: 2 } },
  recorded_error: {
    sent: '{"name":"E","message":"m"}',
    read: ({ span_data }) => span_data.error,
    expected: { name: 'E', message: 'm' },
  },
  recorded_contexts: { sent: '[{"a":1}]', read: ({ span_data }) => span_data.contexts, expected: [{ a: 1 }] },
  recorded_usage: {
    sent: '{"model":"m"}',
    read: ({ span_data }) => span_data.usage,
    expected: { model: 'm' },
  },
  recorded_meta: { sent: '{"sync":true}', read: ({ span_data }) => span_data.meta, expected: { sync: true } },
  prompt: { sent: 'user:\nhi', read: ({ span_data }) => span_data.prompt },
  session: { sent: 's-1', read: (record) => record.session_id },
  user: { sent: 'u-1', read: (record) => record.user_id },
  environment: { sent: 'production', read: ({ environment }) => environment },
  release: { sent: '1.2.3', read: ({ release }) => release },
  tags: { sent: ['a', 'b'], read: ({ tags }) => tags },
  metadata: { sent: '{"plan":"pro"}', read: (record) => record.trace_metadata, expected: { plan: 'pro' } },
  trace_contexts: { sent: '{"city":"c"}', read: (record) => record.trace_contexts, expected: { city: 'c' } },
  agent: { sent: 'planner', beside: AGENT, read: (record) => record.trace_function_key },
  tool: { sent: 'search', beside: TOOL, read: (record) => record.trace_function_key },
  entity: { sent: 'search', beside: TOOL, read: (record) => record.trace_function_key },
  model: usage('gpt-5', 'model'),
  response_model: usage('gpt-5-2026', 'response_model'),
  provider: usage('openai', 'provider'),
  service_tier: usage('flex', 'service_tier'),
  input_tokens: usage('12', 'input_tokens', 12),
  output_tokens: usage(3, 'output_tokens'),
  total_tokens: usage(15, 'total_tokens'),
  cached_input_tokens: usage(4, 'cached_input_tokens'),
  cache_creation_input_tokens: usage(5, 'cache_creation_input_tokens'),
  reasoning_tokens: usage(2, 'reasoning_tokens'),
  input_audio_tokens: usage(6, 'input_audio_tokens'),
  output_audio_tokens: usage(7, 'output_audio_tokens'),
  cost_usd: usage(0.012, 'cost_usd'),
  first_token_ms: usage(250, 'time_to_first_token_ms'),
  first_token_s: usage(0.25, 'time_to_first_token_ms', 250),
  system: {
    sent: '[{"type":"text","content":"Be brief"}]',
    beside: MODEL,
    read: ({ span_data }) => span_data.input,
    expected: [[{ role: 'system', content: 'Be brief' }]],
  },
  input_messages: {
    sent: JSON.stringify(MESSAGES),
    beside: MODEL,
    read: ({ span_data }) => span_data.input,
    expected: [MESSAGES],
  },
  output_messages: {
    sent: JSON.stringify([MESSAGE]),
    beside: MODEL,
    read: ({ span_data }) => span_data.output,
    expected: MESSAGE,
  },
  output_text: {
    sent: 'On its way',
    beside: MODEL,
    read: ({ span_data }) => span_data.output,
    expected: MESSAGE,
  },
  output_reasoning: {
    sent: 'The parcel left',
    beside: MODEL,
    read: ({ span_data }) => span_data.output,
    expected: { role: 'assistant', content: [{ type: 'reasoning', text: 'The parcel left' }] },
  },
  output_calls: {
    sent: '[{"toolCallId":"1","toolName":"search","input":{"id":7}}]',
    beside: MODEL,
    read: ({ span_data }) => span_data.output,
    expected: {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: '1', toolName: 'search', input: { id: 7 } }],
    },
  },
  arguments: {
    sent: '{"id":7}',
    beside: TOOL,
    read: ({ span_data }) => span_data.input,
    expected: [{ id: 7 }],
  },
  result: {
    sent: '{"found":true}',
    beside: TOOL,
    read: ({ span_data }) => span_data.output,
    expected: { found: true },
  },
  input: { sent: '{"id":7}', read: ({ span_data }) => span_data.input, expected: [{ id: 7 }] },
  output: { sent: '{"found":true}', read: ({ span_data }) => span_data.output, expected: { found: true } },
  settings: { sent: 'some', read: () => undefined },
  error_type: { sent: 'TimeoutError', read: ({ span_data }) => span_data.error?.name },
};

/** What is sent under a name that ends in `*`, and found. */
function listed({
  field,
  member,
}: OtlpAttribute): { suffix: string; value: JsonValue; expected: JsonValue }[] {
  switch (field) {
    case 'input_messages':
      return [
        { suffix: '0.role', value: 'user', expected: [MESSAGES] },
        { suffix: '0.content', value: 'Where is my parcel?', expected: [MESSAGES] },
      ];
    case 'output_messages':
      return [{ suffix: '0.content', value: 'On its way', expected: MESSAGE }];
    case 'input':
      return [{ suffix: '0.text', value: 'hi', expected: [[{ text: 'hi' }]] }];
    case 'output':
      return [{ suffix: '0.text', value: 'hi', expected: [{ text: 'hi' }] }];
    default:
      return member === undefined
        ? [{ suffix: 'region', value: 'eu', expected: 'eu' }]
        : [{ suffix: '0.name', value: 'search', expected: [{ name: 'search' }] }];
  }
}

const SPAN: OtlpSpan = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  name: 'work',
  startNanos: 1_700_000_000_000_000_000n,
  endNanos: 1_700_000_001_000_000_000n,
  attributes: {},
  events: [],
  links: [],
  status: { code: 0 },
};

function read(attributes: JsonObject): SpanRecord {
  const found = toSpanRecord({ ...SPAN, attributes }, { resource: {}, scope: {} }, () => true);
  if (found.span === undefined) throw new Error('not kept');
  return found.span;
}

function unread(record: SpanRecord): JsonValue | undefined {
  const context = record.span_data.contexts?.find((one) => 'otel' in one);
  return (context?.['otel'] as JsonObject | undefined)?.['attributes'];
}

const ROWS = OTLP_CONVENTIONS.flatMap(({ name, attributes }) =>
  attributes.map((row) => [name, row.name, row] as const),
);

describe('an attribute of a span', () => {
  it.each(ROWS)('of %s: %s', (_, name, row) => {
    const sample = SAMPLES[row.field];
    const isPrefix = name.endsWith('*');
    const parts = isPrefix
      ? listed(row)
      : [{ suffix: '', value: sample.sent, expected: sample.expected ?? sample.sent }];
    const prefix = isPrefix ? name.slice(0, -1) : name;
    const sent = Object.fromEntries(parts.map(({ suffix, value }) => [prefix + suffix, value]));
    const record = read({ ...sample.beside, ...sent });
    const { suffix, expected } = parts[0]!;
    if (row.field === 'settings')
      expect(record.span_data.contexts?.[0]).toEqual({ [row.member ?? suffix]: expected });
    else if (row.field === 'metadata' && (isPrefix || row.member !== undefined))
      expect(record.trace_metadata).toEqual({ [row.member ?? suffix]: expected });
    else expect(sample.read(record)).toEqual(expected);
    expect(unread(record)).toBeUndefined();
  });

  it('is in one row of the table', () => {
    const names = ROWS.map(([, name]) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  it('is kept if no convention has it, or its value is none that the convention allows', () => {
    const attributes = {
      'gen_ai.request.model': 'gpt-5',
      'gen_ai.usage.input_tokens': 'many',
      'gen_ai.operation.name': 'dream',
      'http.route': '/desk',
    };
    const record = read(attributes);
    expect(unread(record)).toEqual({ ...attributes, 'gen_ai.request.model': undefined });
  });

  it('counts before another of the same meaning, which is kept if it differs', () => {
    const record = read({ 'llm.model_name': 'b', 'ai.model.id': 'a', 'gen_ai.request.model': 'a' });
    expect(record.span_data.usage).toEqual({ model: 'a' });
    expect(unread(record)).toEqual({ 'llm.model_name': 'b' });
  });
});

describe('the type of a span', () => {
  it.each(Object.entries(SPAN_TYPES_BY_NAME))('named %s', (name, [type, kind]) => {
    expect(read({ 'gen_ai.operation.name': name.toUpperCase() })).toMatchObject({
      type,
      ...(kind && { kind }),
    });
  });

  it.each([
    ['ai.generateText.doGenerate', { type: 'llm' }],
    ['ai.streamText.doStream support-desk', { type: 'llm' }],
    ['ai.embed.doEmbed', { type: 'llm', kind: 'embedding' }],
    ['ai.rerank.doRerank', { type: 'llm', kind: 'rerank' }],
    ['ai.generateObject', { type: 'custom' }],
  ])('named %s by the AI SDK', (operation, expected) => {
    expect(read({ 'ai.operationId': operation })).toMatchObject(expected);
  });

  it.each([
    [{ 'gen_ai.tool.name': 'search' }, { type: 'function', kind: 'tool', trace_function_key: 'search' }],
    [{ 'gen_ai.request.model': 'm', 'gen_ai.usage.input_tokens': 1 }, { type: 'llm' }],
    [{ 'gen_ai.request.model': 'm' }, { type: 'custom' }],
  ])('is found without a name: %j', (attributes, expected) => {
    expect(read(attributes)).toMatchObject(expected);
  });
});

describe('the table', () => {
  it('has a sample for each meaning', () => {
    expect(Object.keys(SAMPLES).sort()).toEqual(Object.keys(OTLP_FIELDS).sort());
  });
});
