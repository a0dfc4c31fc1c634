import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import * as v6 from 'ai-v6';
import OpenAI, { AzureOpenAI } from 'openai';
import { Agent, OpenAIProvider, Runner, setTracingDisabled } from '@openai/agents';
import { InvalidOptionError } from '../../src/errors.js';
import type { ModelCallOptions } from '../../src/options/model-call-options.js';
import { createTestTracer } from '../../src/testing.js';
import { Tracer } from '../../src/tracer.js';
import { type ModelServer, startModelServer } from '../model-server/model-server.js';
import { newOpenAi, ServedChatModel, ServedLanguageModel } from '../models/served-models.js';
import './outside-fetch.js';

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
  setTracingDisabled(true);
});
afterAll(() => server.close());

const MESSAGES = [{ role: 'user' as const, content: 'Hm?' }];

type Ask = () => Promise<unknown>;

/** Clients whose requests go to the loopback server, each wrapped with the given options. */
const CLIENTS: Record<string, (tracer: Tracer, options?: ModelCallOptions) => Ask> = {
  OpenAI: (tracer, options) => {
    const client = tracer.wrapClient(newOpenAi(server.url), options);
    return () => client.chat.completions.create({ model: 'm', messages: MESSAGES });
  },
  'OpenAI with other options': (tracer, options) => {
    const client = tracer.wrapClient(newOpenAi(server.url), options).withOptions({ timeout: 9000 });
    return () => client.responses.create({ model: 'm', input: 'Hm?' });
  },
  AzureOpenAI: (tracer, options) => {
    const azure = new AzureOpenAI({ apiKey: 'k', apiVersion: '1', endpoint: server.url });
    const client = tracer.wrapClient(azure, options);
    return () => client.chat.completions.create({ model: 'm', messages: MESSAGES });
  },
  Anthropic: (tracer, options) => {
    const client = tracer.wrapClient(new Anthropic({ apiKey: 'k', baseURL: server.url }), options);
    return () => client.messages.create({ model: 'm', max_tokens: 9, messages: MESSAGES });
  },
  GoogleGenAI: (tracer, options) => {
    const google = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: server.url } });
    const client = tracer.wrapClient(google, options);
    return () => client.models.generateContent({ model: 'm', contents: 'Hm?' });
  },
};

const MODELS: Record<string, (tracer: Tracer) => Ask> = {
  'the AI SDK': (tracer) => {
    const model = tracer.wrapModel(new ServedLanguageModel(server.url, 'v3')) as never;
    return () => v6.generateText({ model, prompt: 'Hm?' });
  },
  LangChain: (tracer) => {
    const model = tracer.wrapModel(new ServedChatModel(server.url));
    return () => model.invoke('Hm?');
  },
  'OpenAI Agents': (tracer) => async () => {
    const provider = new OpenAIProvider({ apiKey: 'k', baseURL: `${server.url}/v1` });
    const model = tracer.wrapModel(await provider.getModel('m'));
    return new Runner().run(new Agent({ name: 'Desk', model }), 'Hm?');
  },
};

const OPTIONS: ModelCallOptions = {
  name: 'Summary',
  provider: 'own-proxy',
  metadata: { feature: 'summary' },
  tags: ['summary'],
  session: 'chat-1',
};

describe.each(Object.entries(CLIENTS))('wrapClient(client, options) of %s', (_, createClient) => {
  it('names the spans and notes provider, metadata, tags and session', async () => {
    const { tracer, spans, traces } = createTestTracer();
    await createClient(tracer, OPTIONS)();
    expect(spans).toMatchObject([
      {
        name: 'Summary',
        trace_function_key: expect.stringMatching(/^(openai|anthropic|google)\./),
        type: 'llm',
        status: 'ok',
        span_data: {
          usage: { provider: 'own-proxy', model: 'm' },
          contexts: expect.arrayContaining([{ feature: 'summary' }]),
        },
      },
    ]);
    expect(traces).toMatchObject([{ tags: ['summary'], session_id: 'chat-1' }]);
  });

  it.each(['input', 'output'] as const)('records no %s under capture', async (field) => {
    const { tracer, spans } = createTestTracer();
    await createClient(tracer, { capture: { [field]: false } })();
    const { span_data: data } = spans[0]!;
    expect([data.input === undefined, data.output === undefined]).toEqual([
      field === 'input',
      field === 'output',
    ]);
    expect(data.usage).toMatchObject({ input_tokens: 12 });
  });

  it('keeps the session that the application set', async () => {
    const { tracer, traces } = createTestTracer();
    const ask = createClient(tracer, OPTIONS);
    await tracer.withSpan('desk', () => {
      tracer.getCurrentTrace().setSessionId('of the request');
      return ask();
    })();
    expect(traces).toMatchObject([{ session_id: 'of the request' }]);
  });
});

describe.each([...Object.entries(CLIENTS), ...Object.entries(MODELS)])(
  'withCallOptions around %s',
  (_, createAsk) => {
    it('applies to the requests inside, and to no other', async () => {
      const { tracer, spans, traces } = createTestTracer();
      const ask = createAsk(tracer);
      await tracer.withCallOptions(OPTIONS, ask);
      await ask();
      const [inside, outside] = spans;
      expect(inside).toMatchObject({ name: 'Summary', span_data: { usage: { provider: 'own-proxy' } } });
      expect(inside!.span_data.contexts).toContainEqual({ feature: 'summary' });
      expect(outside).toMatchObject({ name: inside!.trace_function_key });
      expect(JSON.stringify(outside)).not.toContain('own-proxy');
      expect(traces).toMatchObject([{ tags: ['summary'], session_id: 'chat-1' }]);
    });

    it('withholds input and output', async () => {
      const { tracer, spans } = createTestTracer();
      await tracer.withCallOptions({ capture: { input: false, output: false } }, createAsk(tracer));
      expect(spans).toHaveLength(1);
      expect(spans[0]!.span_data).not.toHaveProperty('input');
      expect(spans[0]!.span_data).not.toHaveProperty('prompt');
      expect(spans[0]!.span_data).not.toHaveProperty('output');
    });
  },
);

describe('withCallOptions', () => {
  const createAsk = CLIENTS['OpenAI']!;

  it('wins over the options of the client, joins metadata, adds tags up, and sets the session', async () => {
    const { tracer, spans, traces } = createTestTracer();
    const ask = createAsk(tracer, { ...OPTIONS, metadata: { feature: 'chat', team: 'desk' } });
    const near = { name: 'Title', metadata: { feature: 'title' }, tags: ['title'], session: 'chat-2' };
    await tracer.withSpan('desk', () => {
      tracer.getCurrentTrace().setSessionId('of the request');
      return tracer.withCallOptions({ tags: ['outer'] }, () => tracer.withCallOptions(near, ask));
    })();
    expect(spans[0]).toMatchObject({ name: 'Title', span_data: { usage: { provider: 'own-proxy' } } });
    expect(spans[0]!.span_data.contexts).toContainEqual({ feature: 'title', team: 'desk' });
    expect(traces).toMatchObject([{ tags: ['outer', 'summary', 'title'], session_id: 'chat-2' }]);
  });

  it('returns the result of the function, and throws its error', () => {
    const { tracer } = createTestTracer();
    const error = new Error('no');
    expect(tracer.withCallOptions({ name: 'a' }, () => 7)).toBe(7);
    expect(() =>
      tracer.withCallOptions({ name: 'a' }, () => {
        throw error;
      }),
    ).toThrow(error);
    expect(new Tracer({ enabled: false }).withCallOptions({ name: 'a' }, () => 7)).toBe(7);
  });

  it('reports options that cannot work, and runs the function without them', async () => {
    const errors: Error[] = [];
    const { tracer, spans } = createTestTracer({ onError: (error) => errors.push(error) });
    await tracer.withCallOptions({ nam: 'Summary' } as never, createAsk(tracer));
    expect(errors.map(({ cause }) => String(cause))).toEqual([
      expect.stringContaining('nam is unknown. Did you mean name?'),
    ]);
    expect(spans).toMatchObject([{ name: 'openai.chat.completions.create' }]);
  });
});

describe('the options of wrapClient', () => {
  it.each([
    [{ provder: 'x' }, 'provder is unknown. Did you mean provider?'],
    [{ tags: 'x' }, 'tags must be a list of strings'],
    [{ capture: { input: 'no' } }, 'capture.input must be true or false'],
    [{ metadata: ['x'] }, 'metadata must be an object'],
    [{ name: ' ' }, 'name must be a string that is not blank'],
  ])('refuse %j', (options, message) => {
    const { tracer } = createTestTracer();
    const wrap = (): unknown => tracer.wrapClient(new OpenAI({ apiKey: 'k' }), options as never);
    expect(wrap).toThrow(InvalidOptionError);
    expect(wrap).toThrow(message);
  });

  it('are those of the last wrapping', async () => {
    const { tracer, spans } = createTestTracer();
    const client = newOpenAi(server.url);
    const again = [{ name: 'one' }, { name: 'other' }, undefined].map((options) =>
      tracer.wrapClient(client, options),
    );
    await again[0]!.chat.completions.create({ model: 'm', messages: MESSAGES });
    expect(spans.map(({ name }) => name)).toEqual(['other']);
  });

  it('leave the types of the client as they are', () => {
    const { tracer } = createTestTracer();
    const bare = new OpenAI({ apiKey: 'k' });
    const wrapped: typeof bare = tracer.wrapClient(bare, { name: 'Summary' });
    expect(wrapped).toBe(bare);
  });
});
