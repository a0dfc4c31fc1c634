import type { JsonObject } from '../json/json-value.js';
import { ProtocolError } from '../errors.js';
import { withPrompt } from '../prompts/prompt-formats.js';
import type { SpanRecord } from '../records/span.js';
import type { OtlpEvent, OtlpSource, OtlpSpan } from './otlp-span.js';
import { toSpanRecord } from './to-span-record.js';

const START = 1_700_000_000_000_000_000n;
const SPAN: OtlpSpan = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  name: 'chat gpt-5',
  startNanos: START,
  endNanos: START + 1_500_000n,
  attributes: {},
  events: [],
  links: [],
  status: { code: 0 },
};
const SOURCE: OtlpSource = { resource: {}, scope: {} };

function read(span: Partial<OtlpSpan>, source = SOURCE): SpanRecord {
  const found = toSpanRecord({ ...SPAN, ...span }, source);
  if (found.span === undefined) throw new Error('the span has no AI content');
  return found.span;
}

const event = (name: string, attributes: JsonObject): OtlpEvent => ({ name, timeNanos: START, attributes });

const PARCEL = 'Where is my parcel?';
const CALL = { type: 'tool-call', toolCallId: 'c1', toolName: 'track', input: { id: 7 } };
const MESSAGES = [
  { role: 'system', content: 'Be brief' },
  { role: 'user', content: PARCEL },
  { role: 'assistant', content: [CALL] },
  { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', output: 'Berlin' }] },
];

/** One conversation as each generation and convention writes it. */
const CONVERSATIONS: [string, Partial<OtlpSpan>][] = [
  [
    'GenAI from 1.37, as JSON text',
    {
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.system_instructions': '[{"type":"text","content":"Be brief"}]',
        'gen_ai.input.messages': JSON.stringify([
          { role: 'user', parts: [{ type: 'text', content: PARCEL }] },
          {
            role: 'assistant',
            parts: [{ type: 'tool_call', id: 'c1', name: 'track', arguments: { id: 7 } }],
          },
          { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', result: 'Berlin' }] },
        ]),
        'gen_ai.output.messages': JSON.stringify([
          { role: 'assistant', parts: [{ type: 'text', content: 'In Berlin' }], finish_reason: 'stop' },
        ]),
      },
    },
  ],
  [
    'GenAI from 1.37, as values',
    {
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.input.messages': [
          { role: 'system', parts: [{ type: 'text', content: 'Be brief' }] },
          { role: 'user', parts: [{ type: 'text', content: PARCEL }] },
          {
            role: 'assistant',
            parts: [{ type: 'tool_call', id: 'c1', name: 'track', arguments: '{"id":7}' }],
          },
          { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'Berlin' }] },
        ],
        'gen_ai.output.messages': [
          { role: 'assistant', parts: [{ type: 'text', content: 'In Berlin' }], finish_reason: 'stop' },
        ],
      },
    },
  ],
  [
    'GenAI from 1.37, in an event',
    {
      attributes: { 'gen_ai.operation.name': 'chat' },
      events: [
        event('gen_ai.client.inference.operation.details', {
          'gen_ai.input.messages': JSON.stringify([
            { role: 'system', parts: [{ type: 'text', content: 'Be brief' }] },
            { role: 'user', parts: [{ type: 'text', content: PARCEL }] },
            {
              role: 'assistant',
              parts: [{ type: 'tool_call', id: 'c1', name: 'track', arguments: { id: 7 } }],
            },
            { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'Berlin' }] },
          ]),
          'gen_ai.output.messages': JSON.stringify([
            { role: 'assistant', parts: [{ type: 'text', content: 'In Berlin' }], finish_reason: 'stop' },
          ]),
        }),
      ],
    },
  ],
  [
    'GenAI up to 1.36, an event for each message',
    {
      attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.system': 'openai' },
      events: [
        event('gen_ai.system.message', { 'gen_ai.system': 'openai', content: 'Be brief' }),
        event('gen_ai.user.message', { content: PARCEL }),
        event('gen_ai.assistant.message', {
          tool_calls: JSON.stringify([
            { id: 'c1', type: 'function', function: { name: 'track', arguments: '{"id":7}' } },
          ]),
        }),
        event('gen_ai.tool.message', { id: 'c1', content: 'Berlin' }),
        event('gen_ai.choice', {
          index: 0,
          finish_reason: 'stop',
          message: '{"role":"assistant","content":"In Berlin"}',
        }),
      ],
    },
  ],
  [
    'GenAI up to 1.36, with JSON in the events',
    {
      attributes: { 'gen_ai.operation.name': 'chat' },
      events: [
        event('gen_ai.system.message', { 'gen_ai.event.content': '{"role":"system","content":"Be brief"}' }),
        event('gen_ai.user.message', {
          'gen_ai.event.content': JSON.stringify({ role: 'user', content: PARCEL }),
        }),
        event('gen_ai.assistant.message', {
          'gen_ai.event.content': JSON.stringify({
            role: 'assistant',
            tool_calls: [{ id: 'c1', function: { name: 'track', arguments: '{"id":7}' } }],
          }),
        }),
        event('gen_ai.tool.message', {
          'gen_ai.event.content': JSON.stringify({ role: 'tool', id: 'c1', content: 'Berlin' }),
        }),
        event('gen_ai.choice', {
          'gen_ai.event.content': JSON.stringify({
            index: 0,
            finish_reason: 'stop',
            message: { role: 'assistant', content: 'In Berlin' },
          }),
        }),
      ],
    },
  ],
  [
    'OpenInference',
    {
      attributes: {
        'openinference.span.kind': 'LLM',
        'llm.input_messages.0.message.role': 'system',
        'llm.input_messages.0.message.content': 'Be brief',
        'llm.input_messages.1.message.role': 'user',
        'llm.input_messages.1.message.contents.0.message_content.type': 'text',
        'llm.input_messages.1.message.contents.0.message_content.text': PARCEL,
        'llm.input_messages.2.message.role': 'assistant',
        'llm.input_messages.2.message.tool_calls.0.tool_call.id': 'c1',
        'llm.input_messages.2.message.tool_calls.0.tool_call.function.name': 'track',
        'llm.input_messages.2.message.tool_calls.0.tool_call.function.arguments': '{"id":7}',
        'llm.input_messages.3.message.role': 'tool',
        'llm.input_messages.3.message.tool_call_id': 'c1',
        'llm.input_messages.3.message.content': 'Berlin',
        'llm.output_messages.0.message.role': 'assistant',
        'llm.output_messages.0.message.content': 'In Berlin',
        'llm.output_messages.0.message.finish_reason': 'stop',
        'input.value': '{"messages":[]}',
        'input.mime_type': 'application/json',
      },
    },
  ],
  [
    'OpenLLMetry',
    {
      attributes: {
        'llm.request.type': 'chat',
        'gen_ai.prompt.0.role': 'system',
        'gen_ai.prompt.0.content': 'Be brief',
        'gen_ai.prompt.1.role': 'user',
        'gen_ai.prompt.1.content': JSON.stringify([{ type: 'text', text: PARCEL }]),
        'gen_ai.prompt.2.role': 'assistant',
        'gen_ai.prompt.2.tool_calls.0.id': 'c1',
        'gen_ai.prompt.2.tool_calls.0.name': 'track',
        'gen_ai.prompt.2.tool_calls.0.arguments': '{"id":7}',
        'gen_ai.prompt.3.role': 'tool',
        'gen_ai.prompt.3.tool_call_id': 'c1',
        'gen_ai.prompt.3.content': 'Berlin',
        'gen_ai.completion.0.role': 'assistant',
        'gen_ai.completion.0.content': 'In Berlin',
        'gen_ai.completion.0.finish_reason': 'stop',
      },
    },
  ],
];

describe('a conversation by OTLP', () => {
  it.each(CONVERSATIONS)('has the same messages from %s', (_, span) => {
    const { input, output, prompt } = withPrompt(read(span).span_data);
    expect(input).toEqual([MESSAGES]);
    expect(output).toEqual({ role: 'assistant', content: 'In Berlin', finish_reason: 'stop' });
    expect(prompt).toBe(
      `system:\nBe brief\n\nuser:\n${PARCEL}\n\nassistant:\n[calls track {"id":7}]\n\ntool:\n[result of c1] Berlin`,
    );
  });

  it('has the messages of the AI SDK as they are', () => {
    const messages = [
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: [{ type: 'text', text: PARCEL }] },
      { role: 'assistant', content: [CALL] },
    ];
    const { type, span_data } = read({
      attributes: {
        'ai.operationId': 'ai.generateText.doGenerate',
        'ai.prompt.messages': JSON.stringify(messages),
        'ai.response.text': 'In Berlin',
      },
    });
    expect(type).toBe('llm');
    expect(span_data.input).toEqual([
      [messages[0], { role: 'user', content: PARCEL }, { role: 'assistant', content: [CALL] }],
    ]);
    expect(span_data.output).toEqual({ role: 'assistant', content: 'In Berlin' });
  });
});

describe('usage', () => {
  it('counts cached tokens as input, also for senders that count them apart', () => {
    const attributes = { 'gen_ai.usage.input_tokens': 10, 'gen_ai.usage.cache_read.input_tokens': 4 };
    expect(read({ attributes }).span_data.usage).toMatchObject({ input_tokens: 10 });
    attributes['gen_ai.usage.cache_read.input_tokens'] = 90;
    expect(read({ attributes }).span_data.usage).toMatchObject({
      input_tokens: 100,
      cached_input_tokens: 90,
    });
  });
});

describe('identity and times', () => {
  it('are those of the span, with the dashes of our trace ids', () => {
    const record = read({ attributes: { 'gen_ai.request.model': 'm' }, parentSpanId: '00f067aa0ba902b7' });
    expect(record).toMatchObject({
      id: 'b7ad6b7169203331',
      trace_id: '0af76519-16cd-43dd-8448-eb211c80319c',
      parent_id: '00f067aa0ba902b7',
      started_at: '2023-11-14T22:13:20.000000Z',
      ended_at: '2023-11-14T22:13:20.001500Z',
      duration_ms: 1.5,
    });
  });

  it.each([
    ['a trace id of another length', { traceId: 'abcd' }, 'trace_id'],
    ['a trace id of zeros', { traceId: '0'.repeat(32) }, 'trace_id'],
    ['a span id of another length', { spanId: 'ab' }, 'span_id'],
    ['a parent id of another length', { parentSpanId: 'ab' }, 'parent_span_id'],
    ['no start', { startNanos: 0n }, 'start_time_unix_nano'],
    ['a start after the year 9999', { startNanos: 10n ** 21n }, 'start_time_unix_nano'],
  ])('are refused with %s', (_, span, field) => {
    expect(() => toSpanRecord({ ...SPAN, ...span }, SOURCE)).toThrow(ProtocolError);
    expect(() => toSpanRecord({ ...SPAN, ...span }, SOURCE)).toThrow(field);
  });

  it('are those of an unfinished span without an end', () => {
    const record = read({ attributes: { 'gen_ai.request.model': 'm' }, endNanos: 0n });
    expect(record.status).toBe('unfinished');
    expect(record).not.toHaveProperty('ended_at');
  });

  it('have no negative duration, and the end that was sent', () => {
    const record = read({ attributes: { 'gen_ai.request.model': 'm' }, endNanos: START - 5n });
    expect(record).toMatchObject({ duration_ms: 0, ended_at: record.started_at });
    expect(record.span_data.contexts).toEqual([{ otel: { end_time_unix_nano: String(START - 5n) } }]);
  });
});

describe('an error', () => {
  it('is the exception of a failed span', () => {
    const { status, span_data } = read({
      attributes: { 'gen_ai.request.model': 'm' },
      status: { code: 2, message: 'no' },
      events: [
        event('exception', {
          'exception.type': 'RateLimitError',
          'exception.message': 'slow down',
          'exception.stacktrace': 'at x',
        }),
      ],
    });
    expect([status, span_data.error]).toEqual([
      'error',
      { name: 'RateLimitError', message: 'slow down', stack: 'at x' },
    ]);
  });

  it('is no error of a span that is ok, whose exception is kept', () => {
    const { status, span_data } = read({
      attributes: { 'gen_ai.request.model': 'm' },
      status: { code: 1 },
      events: [event('exception', { 'exception.type': 'Retried' })],
    });
    expect(status).toBe('ok');
    expect(span_data.contexts).toEqual([
      { otel: { events: [{ name: 'exception', attributes: { 'exception.type': 'Retried' } }] } },
    ]);
  });

  it('cancels a span that was aborted', () => {
    const attributes = { 'gen_ai.request.model': 'm', 'error.type': 'AbortError' };
    expect(read({ attributes, status: { code: 2 } }).status).toBe('cancelled');
  });
});

describe('a span without AI content', () => {
  const http = { 'http.request.method': 'GET', 'user.id': 'u', 'error.type': '500' };

  it('has a place and no record', () => {
    expect(toSpanRecord({ ...SPAN, attributes: http, parentSpanId: '00f067aa0ba902b7' }, SOURCE)).toEqual({
      place: {
        id: SPAN.spanId,
        traceId: '0af76519-16cd-43dd-8448-eb211c80319c',
        parentId: '00f067aa0ba902b7',
      },
      scores: [],
      hasOwnContexts: false,
    });
  });

  it.each([
    ['on itself', { ...http, 'dacapo.keep': true }, {}],
    ['on its resource', http, { 'dacapo.keep': 'true' }],
  ])('is read when dacapo.keep is %s', (_, attributes, resource) => {
    expect(read({ attributes }, { resource, scope: {} })).toMatchObject({
      type: 'custom',
      name: 'chat gpt-5',
    });
  });
});

describe('what no convention names', () => {
  it('is kept with resource, scope, events and links', () => {
    const { span_data } = read(
      {
        attributes: { 'gen_ai.request.model': 'm', 'gen_ai.request.temperature': 0.5, 'app.shop': 'Berlin' },
        events: [event('cache.miss', { size: 3 })],
        links: [{ traceId: SPAN.traceId, spanId: '00f067aa0ba902b7', attributes: { why: 'retry' } }],
        traceState: 'a=b',
        flags: 0x301,
      },
      { resource: { 'service.name': 'desk' }, scope: { name: 'my.lib', version: '1' } },
    );
    const trace_id = '0af76519-16cd-43dd-8448-eb211c80319c';
    expect(span_data.contexts).toEqual([
      { temperature: 0.5 },
      {
        otel: {
          attributes: { 'app.shop': 'Berlin' },
          resource: { 'service.name': 'desk' },
          scope: { name: 'my.lib', version: '1' },
          events: [{ name: 'cache.miss', time: '2023-11-14T22:13:20.000000Z', attributes: { size: 3 } }],
          links: [{ trace_id, span_id: '00f067aa0ba902b7', attributes: { why: 'retry' } }],
          trace_state: 'a=b',
        },
      },
    ]);
    expect(span_data.meta).toEqual({
      source: 'otlp',
      replayable: false,
      remote_parent: true,
      links: [{ trace_id, span_id: '00f067aa0ba902b7' }],
    });
  });

  it('never changes a prototype', () => {
    const { span_data } = read({
      attributes: JSON.parse(
        '{"gen_ai.request.model":"m","__proto__":{"polluted":1},"gen_ai.prompt.__proto__.polluted":"1","gen_ai.request.__proto__":"x"}',
      ) as JsonObject,
    });
    expect(JSON.stringify(span_data)).toContain('polluted');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});

describe('an evaluation in an event', () => {
  it('is a score', () => {
    const found = toSpanRecord(
      {
        ...SPAN,
        events: [
          event('gen_ai.evaluation.result', {
            'gen_ai.evaluation.name': 'polite',
            'gen_ai.evaluation.score.value': 0.9,
            'gen_ai.evaluation.score.label': 'yes',
            'gen_ai.evaluation.explanation': 'It says please',
          }),
          event('gen_ai.evaluation.result', {
            'gen_ai.evaluation.name': 'tone',
            'gen_ai.evaluation.score.label': 'warm',
          }),
        ],
      },
      SOURCE,
    );
    expect(found).toMatchObject({
      scores: [
        { name: 'polite', value: 0.9, label: 'yes', explanation: 'It says please' },
        { name: 'tone', value: 'warm' },
      ],
    });
  });
});

it('keeps attributes whose names have very many steps apart', () => {
  const deep = `llm.input_messages.0.${'a.'.repeat(40)}`;
  const { span_data } = read({ attributes: { [`${deep}x`]: 1, [`${deep}y`]: 2 } });
  const text = JSON.stringify(span_data.input);
  expect(text).toContain('.x":1');
  expect(text).toContain('.y":2');
});

it.each([
  ['"Berlin"', 'Berlin'],
  ['Berlin', 'Berlin'],
  ['{"city":"Berlin"}', { city: 'Berlin' }],
  ['42', 42],
])('reads the result %s of a tool as senders encode it', (sent, output) => {
  const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.call.result': sent };
  expect(read({ attributes }).span_data.output).toEqual(output);
});
