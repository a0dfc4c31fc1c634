import '../../libs/tracer/test/clients/outside-fetch.js';
import { createTestTracer, type TestTracer } from '../../libs/tracer/src/testing.js';
import { startStoredSpansService } from '../../libs/tracer/test/service/stored-spans-service.js';
import { startVendorServer, type VendorServer } from './vendor-server.js';

type Class<T> = new (options: object) => T;
type Send = (request: object) => Promise<unknown>;
type Stream = (request: object) => Promise<AsyncIterable<unknown>>;
interface CohereChat {
  readonly chat: Send;
  readonly chatStream: Stream;
}

/** The packages are installed only in this folder, so their types are unknown. */
const { Mistral } = jest.requireActual<{ Mistral: Class<{ chat: { complete: Send; stream: Stream } }> }>(
  '@mistralai/mistralai',
);
const { OpenRouter } = jest.requireActual<{ OpenRouter: Class<{ chat: { send: Stream } }> }>(
  '@openrouter/sdk',
);
const { CohereClient, CohereClientV2 } = jest.requireActual<{
  CohereClient: Class<{ v2: CohereChat }>;
  CohereClientV2: Class<CohereChat>;
}>('cohere-ai');
const { Groq } = jest.requireActual<{ Groq: Class<{ chat: { completions: { create: Stream } } }> }>(
  'groq-sdk',
);
const { Ollama } = jest.requireActual<{ Ollama: Class<{ chat: Stream }> }>('ollama');
interface Bedrock {
  send(command: object): Promise<{ stream: AsyncIterable<unknown>; body: unknown }>;
}
const {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
} = jest.requireActual<{
  BedrockRuntimeClient: Class<Bedrock>;
  InvokeModelCommand: Class<object>;
  InvokeModelWithResponseStreamCommand: Class<object>;
  ConverseCommand: Class<object>;
  ConverseStreamCommand: Class<object>;
}>('@aws-sdk/client-bedrock-runtime');
const { NodeHttpHandler } = jest.requireActual<{ NodeHttpHandler: new () => object }>(
  '@smithy/node-http-handler',
);

let server: VendorServer;

beforeAll(async () => {
  server = await startVendorServer();
});
afterAll(() => {
  server.close();
});
beforeEach(() => {
  [server.requests, server.status] = [0, 200];
});

/** Sends one request, streamed or not, and returns the answer. */
type Ask = (question: string, isStreamed: boolean) => Promise<unknown>;

interface Way {
  readonly key: string;
  readonly streamedKey: string;
  readonly provider: string | undefined;
  readonly model: string;
  /** Only a streamed answer has its usage. */
  readonly isUsageStreamed?: boolean;
  readonly make: (at: string, wrap: TestTracer['tracer']['wrapClient']) => Ask;
}

const makeChat = (content: string) => [{ role: 'user' as const, content }];

async function readAll(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

async function readByReader(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const reader = (stream as ReadableStream<unknown>).getReader();
  const chunks: unknown[] = [];
  for (let step = await reader.read(); !step.done; step = await reader.read()) chunks.push(step.value);
  return chunks;
}

function bedrockAt(endpoint: string): Bedrock {
  return new BedrockRuntimeClient({
    region: 'eu-west-1',
    endpoint,
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler(),
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  });
}

/** A Bedrock model with its own request format. */
function invoking(model: string, makeBody: (question: string) => object): Way {
  return {
    key: 'bedrock.invokeModel',
    streamedKey: 'bedrock.invokeModelStream',
    provider: 'bedrock',
    model,
    make: (endpoint, wrap) => {
      const client = wrap(bedrockAt(endpoint));
      return async (question, isStreamed) => {
        const input = { modelId: model, body: JSON.stringify(makeBody(question)) };
        if (!isStreamed) {
          const { body } = await client.send(new InvokeModelCommand(input));
          return JSON.parse((body as { transformToString(): string }).transformToString()) as unknown;
        }
        const { body } = await client.send(new InvokeModelWithResponseStreamCommand(input));
        const chunks = (await readAll(body as AsyncIterable<unknown>)) as { chunk: { bytes: Uint8Array } }[];
        return chunks.map(({ chunk }) => JSON.parse(new TextDecoder().decode(chunk.bytes)) as unknown);
      };
    },
  };
}

const WAYS: Record<string, Way> = {
  Mistral: {
    key: 'mistral.chat.complete',
    streamedKey: 'mistral.chat.stream',
    provider: 'mistral',
    model: 'mistral-large-latest',
    make: (serverURL, wrap) => {
      const client = wrap(new Mistral({ apiKey: 'k', serverURL, retryConfig: { strategy: 'none' } }));
      return async (question, isStreamed) => {
        const request = { model: 'mistral-large-latest', messages: makeChat(question) };
        return isStreamed ? readAll(await client.chat.stream(request)) : client.chat.complete(request);
      };
    },
  },
  OpenRouter: {
    key: 'openrouter.chat.send',
    streamedKey: 'openrouter.chat.send',
    provider: 'openrouter',
    model: 'anthropic/claude-3.5-haiku',
    make: (serverURL, wrap) => {
      const client = wrap(new OpenRouter({ apiKey: 'k', serverURL, retryConfig: { strategy: 'none' } }));
      return async (question, isStreamed) => {
        const chatRequest = { model: 'anthropic/claude-3.5-haiku', messages: makeChat(question) };
        return isStreamed
          ? readAll(await client.chat.send({ chatRequest: { ...chatRequest, stream: true } }))
          : client.chat.send({ chatRequest });
      };
    },
  },
  Cohere: {
    key: 'cohere.chat',
    streamedKey: 'cohere.chatStream',
    provider: 'cohere',
    model: 'command-a-03-2025',
    make: (environment, wrap) => {
      const client = wrap(new CohereClientV2({ token: 'k', environment, maxRetries: 0 }));
      return async (question, isStreamed) => {
        const request = { model: 'command-a-03-2025', messages: makeChat(question) };
        return isStreamed ? readAll(await client.chatStream(request)) : client.chat(request);
      };
    },
  },
  'Mistral, read by getReader': {
    key: 'mistral.chat.complete',
    streamedKey: 'mistral.chat.stream',
    provider: 'mistral',
    model: 'mistral-large-latest',
    make: (serverURL, wrap) => {
      const client = wrap(new Mistral({ apiKey: 'k', serverURL, retryConfig: { strategy: 'none' } }));
      return async (question, isStreamed) => {
        const request = { model: 'mistral-large-latest', messages: makeChat(question) };
        if (!isStreamed) return client.chat.complete(request);
        return readByReader(await client.chat.stream(request));
      };
    },
  },
  'OpenRouter, read by getReader': {
    key: 'openrouter.chat.send',
    streamedKey: 'openrouter.chat.send',
    provider: 'openrouter',
    model: 'anthropic/claude-3.5-haiku',
    make: (serverURL, wrap) => {
      const client = wrap(new OpenRouter({ apiKey: 'k', serverURL, retryConfig: { strategy: 'none' } }));
      return async (question, isStreamed) => {
        const chatRequest = { model: 'anthropic/claude-3.5-haiku', messages: makeChat(question) };
        if (!isStreamed) return client.chat.send({ chatRequest });
        return readByReader(await client.chat.send({ chatRequest: { ...chatRequest, stream: true } }));
      };
    },
  },
  'Cohere, by its first client': {
    key: 'cohere.v2.chat',
    streamedKey: 'cohere.v2.chatStream',
    provider: 'cohere',
    model: 'command-a-03-2025',
    make: (environment, wrap) => {
      const client = wrap(new CohereClient({ token: 'k', environment, maxRetries: 0 }));
      return async (question, isStreamed) => {
        const request = { model: 'command-a-03-2025', messages: makeChat(question) };
        return isStreamed ? readAll(await client.v2.chatStream(request)) : client.v2.chat(request);
      };
    },
  },
  Ollama: {
    key: 'ollama.chat',
    streamedKey: 'ollama.chat',
    provider: 'ollama',
    model: 'llama3.2',
    make: (host, wrap) => {
      const client = wrap(new Ollama({ host }));
      return async (question, isStreamed) => {
        const request = { model: 'llama3.2', messages: makeChat(question) };
        return isStreamed ? readAll(await client.chat({ ...request, stream: true })) : client.chat(request);
      };
    },
  },
  // Its methods are those of OpenAI's client.
  Groq: {
    key: 'openai.chat.completions.create',
    streamedKey: 'openai.chat.completions.create',
    provider: undefined,
    model: 'llama-3.3-70b-versatile',
    make: (baseURL, wrap) => {
      const client = wrap(new Groq({ apiKey: 'k', baseURL, maxRetries: 0 }));
      return async (question, isStreamed) => {
        const request = { model: 'llama-3.3-70b-versatile', messages: makeChat(question) };
        return isStreamed
          ? readAll(await client.chat.completions.create({ ...request, stream: true }))
          : { ...(await client.chat.completions.create(request)) };
      };
    },
  },
  Bedrock: {
    key: 'bedrock.converse',
    streamedKey: 'bedrock.converseStream',
    provider: 'bedrock',
    model: 'anthropic.claude-3-5-haiku-20241022-v1:0',
    make: (endpoint, wrap) => {
      const client = wrap(bedrockAt(endpoint));
      return async (question, isStreamed) => {
        const messages = [{ role: 'user' as const, content: [{ text: question }] }];
        const input = { modelId: 'anthropic.claude-3-5-haiku-20241022-v1:0', messages };
        if (!isStreamed) {
          const answer: unknown = await client.send(new ConverseCommand(input));
          return { ...(answer as object), $metadata: undefined };
        }
        return readAll((await client.send(new ConverseStreamCommand(input))).stream);
      };
    },
  },
  "Bedrock, in Anthropic's format": invoking('anthropic.claude-3-5-haiku-20241022-v1:0', (content) => ({
    anthropic_version: 'bedrock-2023-05-31',
    max_tokens: 100,
    messages: makeChat(content),
  })),
  "Bedrock, in Nova's format": invoking('amazon.nova-lite-v1:0', (text) => ({
    messages: [{ role: 'user', content: [{ text }] }],
  })),
  "Bedrock, in Titan's format": invoking('amazon.titan-text-express-v1', (inputText) => ({ inputText })),
  "Bedrock, in Llama's format": invoking('meta.llama3-8b-instruct-v1:0', (prompt) => ({ prompt })),
  "Bedrock, in Claude 2's format": {
    ...invoking('anthropic.claude-v2:1', (prompt) => ({ prompt })),
    isUsageStreamed: true,
  },
  "Bedrock, in Mistral's format": {
    ...invoking('mistral.mistral-7b-instruct-v0:2', (prompt) => ({ prompt })),
    isUsageStreamed: true,
  },
};

describe.each(Object.entries(WAYS))('a wrapped client of %s', (_, { make, ...way }) => {
  describe.each([false, true])('streamed: %s', (isStreamed) => {
    const key = isStreamed ? way.streamedKey : way.key;
    const hasUsage = isStreamed || way.isUsageStreamed !== true;

    it('returns what the bare one returns, and is recorded with usage, model and provider, and priced', async () => {
      const { tracer, spans } = createTestTracer();
      const bare = await make(server.url, (client) => client)('Weather?', isStreamed);
      const result = await make(server.url, (client) => tracer.wrapClient(client))('Weather?', isStreamed);
      expect(result).toEqual(bare);
      expect(spans).toMatchObject([
        {
          trace_function_key: key,
          type: 'llm',
          status: 'ok',
          span_data: {
            prompt: 'user:\nWeather?',
            usage: {
              ...(hasUsage && { input_tokens: 12, output_tokens: 9 }),
              model: way.model,
            },
            contexts: [{ finishReason: expect.stringMatching(/stop|COMPLETE|end_turn|FINISH/) }],
          },
        },
      ]);
      const { usage, output } = spans[0]!.span_data;
      expect(usage!['provider']).toBe(way.provider);
      expect(JSON.stringify(output)).toContain('A mild day in Oslo.');
    });

    it('is mocked in a replay, with the server off', async () => {
      const recorded = createTestTracer();
      const ask = make(server.url, (client) => recorded.tracer.wrapClient(client));
      await recorded.tracer.withSpan('agent', (question: string) => ask(question, isStreamed))('Weather?');
      const service = await startStoredSpansService(recorded.spans);
      const { tracer } = createTestTracer({ serviceUrl: service.url });
      const again = make('http://127.0.0.1:9', (client) => tracer.wrapClient(client));
      const replayed = tracer.withSpan('agent', (question: string) => again(question, isStreamed));
      const run = await tracer.replay('agent', replayed, { mock: 'all' });
      await service.close();
      expect(run.items).toMatchObject([{ verdict: 'same', divergences: [] }]);
      expect([run.ranLive, server.requests]).toEqual([{}, 1]);
    });
  });

  it('throws what the bare one throws, and throws it again in a replay', async () => {
    server.status = 400;
    const recorded = createTestTracer();
    const fails =
      (ask: Ask) =>
      async (question: string): Promise<unknown> => {
        try {
          return await ask(question, false);
        } catch (error) {
          return [(error as Error).constructor.name, (error as Error).name, (error as Error).message];
        }
      };
    const bare = await fails(make(server.url, (client) => client))('Weather?');
    const wrapped = fails(make(server.url, (client) => recorded.tracer.wrapClient(client)));
    expect(await recorded.tracer.withSpan('agent', wrapped)('Weather?')).toEqual(bare);
    expect(recorded.spans[0]).toMatchObject({ status: 'error' });
    const service = await startStoredSpansService(recorded.spans);
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const again = fails(make('http://127.0.0.1:9', (client) => tracer.wrapClient(client)));
    const run = await tracer.replay('agent', tracer.withSpan('agent', again), { mock: 'all' });
    await service.close();
    expect(run.items).toMatchObject([{ verdict: 'same', divergences: [] }]);
  });
});
