import './outside-fetch.js';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import type { SpanRecord } from '@dacapo/protocol';
import { createTestTracer } from '../../src/testing.js';
import type { Tracer } from '../../src/tracer.js';
import { startStoredSpansService } from '../service/stored-spans-service.js';
import { readAll } from './replayed-agent.js';

let url: string;
let bodies: object[] = [];
let requests = 0;
/** Requests below this path are never answered, and take no body: an aborted one may arrive during a later test. */
const SILENT = '/silent';
const http = createServer((request, response) => {
  if (request.url?.startsWith(SILENT) === true) return;
  const body = bodies.length > 1 ? bodies.shift() : bodies[0];
  requests++;
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
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

const MESSAGES = [{ role: 'user' as const, content: 'Hm?' }];
type Ask = (tracer: Tracer, at: string) => () => Promise<unknown>;

const openAi = (tracer: Tracer, at: string): OpenAI =>
  tracer.wrapClient(new OpenAI({ apiKey: 'k', baseURL: at, maxRetries: 0 }));
const responses: Ask = (tracer, at) => {
  const client = openAi(tracer, at);
  return async () => ({ ...(await client.responses.create({ model: 'm', input: 'Hm?' })) });
};
const chat: Ask = (tracer, at) => {
  const client = openAi(tracer, at);
  return async () => ({ ...(await client.chat.completions.create({ model: 'm', messages: MESSAGES })) });
};
const anthropic: Ask = (tracer, at) => {
  const client = tracer.wrapClient(new Anthropic({ apiKey: 'k', baseURL: at, maxRetries: 0 }));
  return async () => ({
    ...(await client.messages.create({ model: 'm', max_tokens: 9, messages: MESSAGES })),
  });
};
const google: Ask = (tracer, at) => {
  const client = tracer.wrapClient(new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: at } }));
  return async () =>
    (await client.models.generateContent({ model: 'm', contents: 'Hm?' })).candidates ?? 'none';
};

const response = (fields: object) => ({
  id: 'resp_x',
  object: 'response',
  model: 'm',
  output: [],
  ...fields,
});
const completion = (finish_reason: string, message: object = {}) => ({
  object: 'chat.completion',
  choices: [{ index: 0, finish_reason, message: { role: 'assistant', content: 'So', ...message } }],
});
const message = (stop_reason: string) => ({ type: 'message', role: 'assistant', content: [], stop_reason });

const ANSWERS: [string, Ask, object, object][] = [
  [
    'a response that failed',
    responses,
    response({ status: 'failed', error: { code: 'server_error', message: 'It broke.' } }),
    { status: 'error', span_data: { error: { name: 'server_error', message: 'It broke.' } } },
  ],
  ['a response that was cancelled', responses, response({ status: 'cancelled' }), { status: 'cancelled' }],
  [
    'an incomplete response',
    responses,
    response({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
    { status: 'ok', level: 'warn', span_data: { contexts: [{ finishReason: 'max_output_tokens' }] } },
  ],
  ['a chat that is cut short', chat, completion('length'), { status: 'ok', level: 'warn' }],
  ['a filtered chat', chat, completion('content_filter'), { status: 'ok', level: 'warn' }],
  ['a refusal of a chat', chat, completion('stop', { refusal: 'No.' }), { status: 'ok', level: 'warn' }],
  ['a refusal of Anthropic', anthropic, message('refusal'), { status: 'ok', level: 'warn' }],
  ['a message that is cut short', anthropic, message('max_tokens'), { status: 'ok', level: 'warn' }],
  [
    'a prompt that Gemini blocks',
    google,
    { promptFeedback: { blockReason: 'SAFETY' } },
    { status: 'ok', level: 'warn', span_data: { contexts: [{ finishReason: 'SAFETY' }] } },
  ],
  [
    'an answer that Gemini cuts short',
    google,
    { candidates: [{ content: { parts: [{ text: 'So' }] }, finishReason: 'MAX_TOKENS' }] },
    { status: 'ok', level: 'warn' },
  ],
];
const SUCCESSES: [string, Ask, object][] = [
  ['a response', responses, response({ status: 'completed' })],
  ['a chat', chat, completion('stop')],
  ['a call of a tool', chat, completion('tool_calls')],
  ['a message', anthropic, message('end_turn')],
  ['a message that goes on', anthropic, message('pause_turn')],
  ['Gemini', google, { candidates: [{ content: { parts: [{ text: 'So' }] }, finishReason: 'STOP' }] }],
];

/** Records a call, and replays it where nothing listens. */
async function recordAndReplay(ask: Ask) {
  const recorded = createTestTracer();
  await recorded.tracer.withSpan('agent', ask(recorded.tracer, url))();
  const service = await startStoredSpansService(recorded.spans);
  const { tracer } = createTestTracer({ serviceUrl: service.url });
  const before = requests;
  try {
    const run = await tracer.replay('agent', tracer.withSpan('agent', ask(tracer, url)), { mock: 'all' });
    const own = recorded.spans.filter(({ type }) => type === 'llm');
    return { item: run.items[0]!, own, requestCount: requests - before };
  } finally {
    await service.close();
  }
}

describe('the status of a model call', () => {
  it.each(ANSWERS)('is that of %s, which a replay returns again', async (_, ask, body, expected) => {
    bodies = [body];
    const { item, own, requestCount } = await recordAndReplay(ask);
    expect(own).toMatchObject([expected]);
    expect(own[0]!.span_data).toHaveProperty('output');
    expect(item).toMatchObject({ verdict: 'same', divergences: [] });
    expect(requestCount).toBe(0);
  });

  it.each(SUCCESSES)('is ok, without a level, of %s', async (_, ask, body) => {
    bodies = [body];
    const { tracer, spans } = createTestTracer();
    await ask(tracer, url)();
    expect(spans.map(({ status, level }: SpanRecord) => [status, level])).toEqual([['ok', undefined]]);
  });

  it('is an error when Gemini takes too long, and cancelled when the application aborts it', async () => {
    const { tracer, spans } = createTestTracer();
    const client = tracer.wrapClient(
      new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: url + SILENT, timeout: 30 } }),
    );
    const controller = new AbortController();
    const request = { model: 'm', contents: 'Hm?' };
    await expect(client.models.generateContent(request)).rejects.toThrow();
    const config = { abortSignal: controller.signal, httpOptions: { timeout: 60_000 } };
    const aborted = client.models.generateContent({ ...request, config });
    controller.abort();
    await expect(aborted).rejects.toThrow();
    expect(spans.map(({ status }) => status)).toEqual(['error', 'cancelled']);
  });
});

describe('a response in the background', () => {
  const usage = { input_tokens: 12, output_tokens: 9, total_tokens: 21 };
  const inBackground = { id: 'resp_background', background: true };
  const poll: Ask = (tracer, at) => {
    const client = openAi(tracer, at);
    return async () => {
      let answer = await client.responses.create({ model: 'm', input: 'Hm?', background: true });
      while (answer.status !== 'completed') answer = await client.responses.retrieve(answer.id);
      await client.responses.retrieve(answer.id);
      return answer.output;
    };
  };
  const answers = (): object[] => [
    response({ ...inBackground, status: 'queued' }),
    response({ ...inBackground, status: 'in_progress' }),
    response({ ...inBackground, status: 'completed', usage, output: [{ type: 'message', content: [] }] }),
  ];

  it('has its usage once, on the retrieval that finds it done, and is replayed without a request', async () => {
    bodies = answers();
    const { item, own, requestCount } = await recordAndReplay(poll);
    expect(own.map(({ trace_function_key: key, status }) => [key, status])).toEqual([
      ['openai.responses.create', 'ok'],
      ['openai.responses.retrieve', 'ok'],
      ['openai.responses.retrieve', 'ok'],
      ['openai.responses.retrieve', 'ok'],
    ]);
    expect(own.map(({ span_data }) => span_data.usage!['input_tokens'])).toEqual([0, 0, 12, 0]);
    expect(own[2]!.span_data.output).toMatchObject({ output: [{ type: 'message', content: [] }] });
    expect(item).toMatchObject({ verdict: 'same', divergences: [] });
    expect(requestCount).toBe(0);
  });

  it('is cancelled where the application cancels it', async () => {
    bodies = [response({ ...inBackground, status: 'cancelled' })];
    const { tracer, spans } = createTestTracer();
    await openAi(tracer, url).responses.cancel('resp_background');
    expect(spans).toMatchObject([{ trace_function_key: 'openai.responses.cancel', status: 'cancelled' }]);
  });

  it('fails in a stream as in a single response', async () => {
    const { tracer, spans } = createTestTracer();
    const failed = response({ status: 'failed', error: { code: 'server_error', message: 'It broke.' } });
    const sent = `data: ${JSON.stringify({ type: 'response.failed', response: failed })}\n\n`;
    const fetched = async (): Promise<Response> =>
      new Response(sent, { headers: { 'content-type': 'text/event-stream' } });
    const client = tracer.wrapClient(new OpenAI({ apiKey: 'k', baseURL: url, fetch: fetched }));
    await readAll(await client.responses.create({ model: 'm', input: 'Hm?', stream: true }));
    expect(spans).toMatchObject([
      { status: 'error', span_data: { error: { message: 'It broke.' }, meta: { answered: true } } },
    ]);
  });
});
