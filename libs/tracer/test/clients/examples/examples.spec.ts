import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { createTestTracer } from '../../../src/testing.js';
import type { ModelReply } from '../../model-server/model-reply.js';
import type { ModelRequest } from '../../model-server/model-request.js';
import { type ModelServer, startModelServer } from '../../model-server/model-server.js';
import '../outside-fetch.js';
import { ANTHROPIC_EXAMPLES } from './anthropic-examples.js';
import type { Example, Print } from './example.js';
import { GOOGLE_EXAMPLES } from './google-examples.js';
import { OPENAI_CHAT_EXAMPLES } from './openai-examples.js';
import { OPENAI_OTHER_EXAMPLES } from './openai-other-examples.js';

function reply({ model, body, toolResult }: ModelRequest): ModelReply {
  if (model === 'no-such-model') return { status: 404 };
  if (toolResult !== '') return { text: toolResult };
  if (body.tools !== undefined && model !== 'no-tools')
    return { toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }] };
  return /json_?schema|responseSchema/i.test(JSON.stringify(body))
    ? { text: '{"mild":true}' }
    : { text: 'A mild day in Oslo, with little wind.' };
}

/** What an example printed, the error that it ended with, and what the server saw. */
async function runExample<C>(example: Example<C>, newClient: (url: string, options?: object) => C) {
  const server: ModelServer = await startModelServer();
  server.reply = reply;
  const printed: string[] = [];
  const print: Print = (...values) => {
    printed.push(values.map((value) => JSON.stringify(value)).join(' '));
  };
  // The clients warn by it too.
  const warnings = jest.spyOn(console, 'warn').mockImplementation(print);
  const error = await example((options) => newClient(server.url, options), print).then(
    () => undefined,
    (thrown: unknown) => String(thrown),
  );
  warnings.mockRestore();
  await server.close();
  const requests = server.requests.map(({ path, headers, body }) => ({
    path,
    body,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !VARYING.includes(name))),
  }));
  return { printed, error, requests };
}

const VARYING = [
  'host',
  'content-length',
  'content-type',
  'connection',
  'x-stainless-retry-count',
  'idempotency-key',
];

function describeExamples<C extends object>(
  vendor: string,
  examples: Record<string, Example<C>>,
  newClient: (url: string, options?: object) => C,
): void {
  describe(`the examples of ${vendor}`, () => {
    it.each(Object.entries(examples))('print and send the same, wrapped and bare: %s', async (_, example) => {
      const { tracer, spans } = createTestTracer();
      const bare = await runExample(example, newClient);
      const wrapped = await runExample(example, (url, options) => tracer.wrapClient(newClient(url, options)));
      expect(wrapped).toEqual(bare);
      expect(bare.error).toBeUndefined();
      expect(bare.printed.length).toBeGreaterThan(0);
      const requests = bare.requests.filter(({ path }) => !/count_?tokens/i.test(path));
      expect(spans).toHaveLength(requests.length);
      for (const { status } of spans) expect(['ok', 'cancelled', 'error']).toContain(status);
    });
  });
}

const newOpenAi = (url: string, options: object = {}): OpenAI =>
  new OpenAI({ apiKey: 'k', baseURL: `${url}/v1`, maxRetries: 0, ...options });

describeExamples('openai, of chats', OPENAI_CHAT_EXAMPLES, newOpenAi);
describeExamples('openai, of responses, pictures and sounds', OPENAI_OTHER_EXAMPLES, newOpenAi);
describeExamples(
  '@anthropic-ai/sdk',
  ANTHROPIC_EXAMPLES,
  (baseURL, options) => new Anthropic({ apiKey: 'k', baseURL, maxRetries: 0, ...options }),
);
describeExamples(
  '@google/genai',
  GOOGLE_EXAMPLES,
  (baseUrl) => new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl } }),
);
