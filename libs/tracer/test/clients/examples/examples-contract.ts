import type Anthropic from '@anthropic-ai/sdk';
import type { GoogleGenAI } from '@google/genai';
import type OpenAI from 'openai';
import { createTestTracer } from '../../../src/testing.js';
import type { ModelReply } from '../../model-server/model-reply.js';
import type { ModelRequest } from '../../model-server/model-request.js';
import { type ModelServer, startModelServer } from '../../model-server/model-server.js';
import { ANTHROPIC_EXAMPLES } from './anthropic-examples.js';
import type { Example, Print } from './example.js';
import { GOOGLE_EXAMPLES } from './google-examples.js';
import { OPENAI_CHAT_EXAMPLES } from './openai-examples.js';
import { ANTHROPIC_ODD_USAGES, GOOGLE_ODD_USAGES, OPENAI_ODD_USAGES } from './odd-usages.js';
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
  const logs = (['warn', 'error'] as const).map((name) =>
    jest.spyOn(console, name).mockImplementation(print),
  );
  const error = await example((options) => newClient(server.url, options), print).then(
    () => undefined,
    (thrown: unknown) => String(thrown),
  );
  for (const log of logs) log.mockRestore();
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

/** The examples of a vendor, run by one version of its client. */
interface VendorExamples<C> {
  readonly title: string;
  readonly examples: Record<string, Example<C>>;
  readonly newClient: (url: string, options?: object) => C;
  /** Examples whose methods this version does not have: they end in the same way, wrapped and bare. */
  readonly missing?: readonly string[] | undefined;
}

function describeExamples<C extends object>({
  title,
  examples,
  newClient,
  missing = [],
}: VendorExamples<C>): void {
  describe(`the examples of ${title}`, () => {
    it.each(Object.entries(examples))(
      'print and send the same, wrapped and bare: %s',
      async (name, example) => {
        const { tracer, spans } = createTestTracer();
        const bare = await runExample(example, newClient);
        const wrapped = await runExample(example, (url, options) =>
          tracer.wrapClient(newClient(url, options)),
        );
        expect(wrapped).toEqual(bare);
        if (missing.includes(name)) {
          expect(bare.error).toMatch(/^TypeError/);
          return;
        }
        expect(bare.error).toBeUndefined();
        expect(bare.printed.length).toBeGreaterThan(0);
        const requests = bare.requests.filter(({ path }) => !/count_?tokens/i.test(path));
        expect(spans).toHaveLength(requests.length);
        for (const { status } of spans) expect(['ok', 'cancelled', 'error']).toContain(status);
      },
    );
  });
}

export function describeOpenAiExamples(
  version: string,
  Client: new (options: object) => OpenAI,
  missing?: readonly string[],
): void {
  describeExamples({
    title: `openai ${version}`,
    examples: { ...OPENAI_CHAT_EXAMPLES, ...OPENAI_OTHER_EXAMPLES, ...OPENAI_ODD_USAGES },
    newClient: (url, options) => new Client({ apiKey: 'k', baseURL: `${url}/v1`, maxRetries: 0, ...options }),
    missing,
  });
}

export function describeAnthropicExamples(
  version: string,
  Client: new (options: object) => Anthropic,
  missing?: readonly string[],
): void {
  describeExamples({
    title: `@anthropic-ai/sdk ${version}`,
    examples: { ...ANTHROPIC_EXAMPLES, ...ANTHROPIC_ODD_USAGES },
    newClient: (baseURL, options) => new Client({ apiKey: 'k', baseURL, maxRetries: 0, ...options }),
    missing,
  });
}

export function describeGoogleExamples(
  version: string,
  Client: new (options: object) => GoogleGenAI,
  missing?: readonly string[],
): void {
  describeExamples({
    title: `@google/genai ${version}`,
    examples: { ...GOOGLE_EXAMPLES, ...GOOGLE_ODD_USAGES },
    newClient: (baseUrl) => new Client({ apiKey: 'k', httpOptions: { baseUrl } }),
    missing,
  });
}
