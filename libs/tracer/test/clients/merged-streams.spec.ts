import './outside-fetch.js';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import type { JsonValue, SpanRecord } from '@dacapo/protocol';
import type { CaptureOptions } from '../../src/options/capture-options.js';
import { expandChunks } from '../../src/recording/result/expand-chunks.js';
import { createTestTracer } from '../../src/testing.js';
import type { Tracer } from '../../src/tracer.js';
import { startStoredSpansService } from '../service/stored-spans-service.js';
import { readAll } from './replayed-agent.js';

let url: string;
let events: readonly object[] = [];
let isBroken = false;
let requests = 0;
const http = createServer((request, response) => {
  requests++;
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const data of events) {
      const { type } = data as { type?: string };
      response.write(`${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(data)}\n\n`);
    }
    if (isBroken) setTimeout(() => response.destroy(), 20);
    else response.end();
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
});
afterAll(() => {
  http.close();
  http.closeAllConnections();
});
beforeEach(() => {
  [isBroken, requests] = [false, 0];
});

type Ask = (tracer: Tracer, at: string) => (question: string) => Promise<unknown[]>;

const chat: Ask = (tracer, at) => {
  const client = tracer.wrapClient(new OpenAI({ apiKey: 'k', baseURL: at, maxRetries: 0 }));
  return async (content) =>
    readAll(
      await client.chat.completions.create({
        model: 'm',
        messages: [{ role: 'user', content }],
        stream: true,
      }),
    );
};
const responses: Ask = (tracer, at) => {
  const client = tracer.wrapClient(new OpenAI({ apiKey: 'k', baseURL: at, maxRetries: 0 }));
  return async (input) => readAll(await client.responses.create({ model: 'm', input, stream: true }));
};
const anthropic: Ask = (tracer, at) => {
  const client = tracer.wrapClient(new Anthropic({ apiKey: 'k', baseURL: at, maxRetries: 0 }));
  return async (content) =>
    readAll(
      await client.messages.create({
        model: 'm',
        max_tokens: 9,
        messages: [{ role: 'user', content }],
        stream: true,
      }),
    );
};
const google: Ask = (tracer, at) => {
  const client = tracer.wrapClient(new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: at } }));
  return async (contents) => readAll(await client.models.generateContentStream({ model: 'm', contents }));
};

const chunk = (delta: object, rest: object = {}) => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm-1',
  choices: [{ index: 0, delta, finish_reason: null, ...rest }],
});
const calls = (...tool_calls: object[]) => chunk({ tool_calls });
const response = { id: 'r1', object: 'response', model: 'm-1', status: 'in_progress', output: [] };
const call = { type: 'function_call', id: 'f1', call_id: 'k1', name: 'weather' };
const responseEvents = [
  { type: 'response.created', response },
  { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning', id: 'rs', summary: [] } },
  {
    type: 'response.reasoning_summary_part.added',
    output_index: 0,
    summary_index: 0,
    part: { type: 'summary_text', text: '' },
  },
  { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'Look ' },
  { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'outside.' },
  { type: 'response.output_item.added', output_index: 1, item: { ...call, arguments: '' } },
  { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"city":' },
  { type: 'response.function_call_arguments.delta', output_index: 1, delta: '"Oslo"}' },
];
const responseOutput = [
  { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'Look outside.' }] },
  { ...call, arguments: '{"city":"Oslo"}' },
];
const usage = { input_tokens: 12, output_tokens: 9, total_tokens: 21 };
const blockStart = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const blockDelta = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
const candidate = (parts: object[], rest: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...rest }],
  modelVersion: 'm-1',
});

/** What comes, and what it comes to. */
const STREAMS: Record<string, { ask: Ask; events: object[]; output: object }> = {
  'a chat with reasoning and two calls of tools': {
    ask: chat,
    events: [
      chunk({ role: 'assistant', content: null }),
      chunk({ reasoning_content: 'Look ' }),
      chunk({ reasoning_content: 'outside.' }),
      calls({ index: 0, id: 'a', type: 'function', function: { name: 'weather', arguments: '' } }),
      calls({ index: 0, function: { arguments: '{"city":' } }),
      calls({ index: 1, id: 'b', type: 'function', function: { name: 'time', arguments: '{}' } }),
      calls({ index: 0, function: { arguments: '"Oslo"}' } }),
      chunk({}, { finish_reason: 'tool_calls' }),
      { ...chunk({}), choices: [], usage: { prompt_tokens: 12, completion_tokens: 9, total_tokens: 21 } },
    ],
    output: {
      id: 'c1',
      object: 'chat.completion',
      created: 1,
      model: 'm-1',
      usage: { prompt_tokens: 12, completion_tokens: 9, total_tokens: 21 },
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: null,
            reasoning_content: 'Look outside.',
            tool_calls: [
              { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
              { id: 'b', type: 'function', function: { name: 'time', arguments: '{}' } },
            ],
          },
        },
      ],
    },
  },
  'a chat with two choices, a refusal and probabilities': {
    ask: chat,
    events: [
      chunk(
        { role: 'assistant', content: 'Yes' },
        { logprobs: { content: [{ token: 'Yes', logprob: -1 }] } },
      ),
      chunk({ refusal: 'I ' }, { index: 1 }),
      chunk({ content: '.' }, { logprobs: { content: [{ token: '.', logprob: -2 }] } }),
      chunk({ refusal: "can't." }, { index: 1, finish_reason: 'stop' }),
      chunk({}, { finish_reason: 'stop' }),
    ],
    output: {
      id: 'c1',
      object: 'chat.completion',
      created: 1,
      model: 'm-1',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: { role: 'assistant', content: 'Yes.' },
          logprobs: {
            content: [
              { token: 'Yes', logprob: -1 },
              { token: '.', logprob: -2 },
            ],
          },
        },
        {
          index: 1,
          finish_reason: 'stop',
          message: { role: 'assistant', content: null, refusal: "I can't." },
        },
      ],
    },
  },
  'a response with reasoning and a call': {
    ask: responses,
    events: [
      ...responseEvents,
      {
        type: 'response.completed',
        response: { ...response, status: 'completed', output: responseOutput, usage },
      },
    ],
    output: { ...response, status: 'completed', output: responseOutput, usage },
  },
  'a message with thinking, text and a call': {
    ask: anthropic,
    events: [
      {
        type: 'message_start',
        message: {
          id: 'm1',
          type: 'message',
          role: 'assistant',
          content: [],
          model: 'm-1',
          usage: { input_tokens: 12, output_tokens: 1 },
        },
      },
      blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
      blockDelta(0, { type: 'thinking_delta', thinking: 'Look ' }),
      blockDelta(0, { type: 'thinking_delta', thinking: 'outside.' }),
      blockDelta(0, { type: 'signature_delta', signature: 's1' }),
      blockStart(1, { type: 'text', text: '' }),
      blockDelta(1, { type: 'text_delta', text: 'One ' }),
      blockDelta(1, { type: 'text_delta', text: 'moment.' }),
      blockStart(2, { type: 'tool_use', id: 't1', name: 'weather', input: {} }),
      blockDelta(2, { type: 'input_json_delta', partial_json: '{"city":' }),
      blockDelta(2, { type: 'input_json_delta', partial_json: '"Oslo"}' }),
      {
        type: 'message_delta',
        delta: { stop_reason: 'tool_use', stop_sequence: null },
        usage: { output_tokens: 9 },
      },
      { type: 'message_stop' },
    ],
    output: {
      id: 'm1',
      type: 'message',
      role: 'assistant',
      model: 'm-1',
      stop_reason: 'tool_use',
      usage: { input_tokens: 12, output_tokens: 9 },
      content: [
        { type: 'thinking', thinking: 'Look outside.', signature: 's1' },
        { type: 'text', text: 'One moment.' },
        { type: 'tool_use', id: 't1', name: 'weather', input: { city: 'Oslo' } },
      ],
    },
  },
  "Gemini's thoughts, text and call": {
    ask: google,
    events: [
      candidate([{ text: 'Look ', thought: true }]),
      candidate([{ text: 'outside.', thought: true }]),
      candidate([{ text: 'One ' }]),
      candidate([{ text: 'moment.' }]),
      candidate([{ functionCall: { name: 'weather', args: { city: 'Oslo' } } }], { finishReason: 'STOP' }),
    ],
    output: {
      modelVersion: 'm-1',
      candidates: [
        {
          finishReason: 'STOP',
          content: {
            role: 'model',
            parts: [
              { text: 'Look outside.', thought: true },
              { text: 'One moment.' },
              { functionCall: { name: 'weather', args: { city: 'Oslo' } } },
            ],
          },
        },
      ],
    },
  },
};

interface MergeCase {
  readonly ask: Ask;
  readonly capture?: CaptureOptions;
  readonly changed?: (span: SpanRecord) => SpanRecord;
}

/** Records a call, and replays it where nothing listens. */
async function recordAndReplay({ ask, capture = {}, changed = (span) => span }: MergeCase) {
  const recorded = createTestTracer({ capture });
  await recorded.tracer
    .withSpan(
      'agent',
      ask(recorded.tracer, url),
    )('Weather?')
    .catch(() => undefined);
  const service = await startStoredSpansService(recorded.spans.map(changed));
  const { tracer, spans } = createTestTracer({ serviceUrl: service.url });
  const before = requests;
  try {
    const run = await tracer.replay('agent', tracer.withSpan('agent', ask(tracer, url)), { mock: 'all' });
    const own = recorded.spans.find(({ type }) => type === 'llm')!;
    return { item: run.items[0]!, spans, own, asked: requests - before };
  } finally {
    await service.close();
  }
}

describe.each(Object.entries(STREAMS))('%s', (_, { ask, events: given, output }) => {
  beforeEach(() => {
    events = given;
  });

  it('is shown as one message, and replayed chunk by chunk', async () => {
    const { item, spans, own, asked } = await recordAndReplay({ ask });
    expect(own).toMatchObject({
      status: 'ok',
      span_data: { output, meta: { stream: { items: given.length } } },
    });
    expect(item).toMatchObject({ verdict: 'same', divergences: [] });
    expect(asked).toBe(0);
    expect(item.result).toHaveLength(given.length);
    const answered = spans.find(({ type }) => type === 'llm')!;
    expect(answered.span_data).toMatchObject({ output, meta: { mocked: true } });
  });

  it('is replayed as it was recorded before the upgrade, when its output was its chunks', async () => {
    const changed = (span: SpanRecord): SpanRecord => {
      const { meta, ...data } = span.span_data;
      if (meta?.stream?.merged !== true) return span;
      const { kind, items, chunks } = meta.stream;
      const list = expandChunks(chunks) as JsonValue[];
      return { ...span, span_data: { ...data, output: list, meta: { ...meta, stream: { kind, items } } } };
    };
    const { item, asked } = await recordAndReplay({ ask, changed });
    expect(item).toMatchObject({ verdict: 'same', divergences: [] });
    expect([asked, (item.result as unknown[]).length]).toEqual([0, given.length]);
  });

  it('is recorded without its chunks under chunks: false, with the reason why it cannot be replayed', async () => {
    const { item, own, asked } = await recordAndReplay({ ask, capture: { chunks: false } });
    expect(own.span_data).toMatchObject({ output, meta: { stream: { merged: true, items: given.length } } });
    expect(own.span_data.meta!.stream).not.toHaveProperty('chunks');
    expect(item).toMatchObject({ verdict: 'error', error: { code: 'TRACER_REPLAY_MOCK_MISS' } });
    expect((item.error as Error).message).toContain('the chunks of its stream were not recorded');
    expect(asked).toBe(0);
  });

  it('is replayed where a hook sees each value', async () => {
    const { item, asked } = await recordAndReplay({ ask, capture: { redact: (value) => value } });
    expect([item.verdict, asked]).toEqual(['same', 0]);
  });

  it('leaves neither message nor chunks in a record under output: false', async () => {
    const { own } = await recordAndReplay({ ask, capture: { output: false } });
    expect(own.span_data).not.toHaveProperty('output');
    expect(JSON.stringify(own)).not.toMatch(/outside|Oslo|Yes/);
  });
});

describe('a stream that breaks off', () => {
  it('is shown as far as it arrived, and its failure is replayed', async () => {
    [events, isBroken] = [responseEvents, true];
    const { item, own, asked } = await recordAndReplay({ ask: responses });
    expect(own).toMatchObject({
      status: 'error',
      span_data: { output: { id: 'r1', output: responseOutput } },
    });
    expect([item.verdict, asked]).toEqual(['same', 0]);
  });
});

describe('the chunks of a stream', () => {
  it('take a fraction of the bytes of single chunks', async () => {
    events = Array.from({ length: 200 }, (_, index) => chunk({ content: ` word${index}` }));
    const { own } = await recordAndReplay({ ask: chat });
    const bytes = JSON.stringify(own.span_data.meta!.stream).length;
    expect(bytes).toBeLessThan(JSON.stringify(events).length / 8);
  });

  it('contain no secret that arrived in pieces', async () => {
    events = ['The key is sk-ant-api03-', 'aB3dE5fG7hJ9kL1m', 'N3pQ5rS7tU9vW1xY3z', ' as said.'].map(
      (content) => chunk({ content }),
    );
    const { own } = await recordAndReplay({ ask: chat });
    expect(JSON.stringify(own)).not.toContain('aB3dE5fG7hJ9kL1m');
    expect(JSON.stringify(own.span_data.output)).toContain('The key is');
  });
});
