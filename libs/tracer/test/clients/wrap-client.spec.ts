import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import OpenAI, { AzureOpenAI } from 'openai';
import { InvalidOptionError } from '../../src/errors.js';
import { createTestTracer } from '../../src/testing.js';
import { Tracer } from '../../src/tracer.js';
import { type ModelServer, startModelServer } from '../model-server/model-server.js';

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

const MESSAGES = [{ role: 'user' as const, content: 'Hm?' }];

describe('wrapClient', () => {
  it('returns a client of the same type, usable wherever the bare one is, and vice versa', () => {
    const { tracer } = createTestTracer();
    const bare = {
      openai: new OpenAI({ apiKey: 'k' }),
      azure: new AzureOpenAI({ apiKey: 'k', apiVersion: '1', endpoint: 'http://127.0.0.1:9' }),
      anthropic: new Anthropic({ apiKey: 'k' }),
      google: new GoogleGenAI({ apiKey: 'k' }),
      mcp: new Client({ name: 'c', version: '1' }),
    };
    const wrapped = {
      openai: tracer.wrapClient(bare.openai),
      azure: tracer.wrapClient(bare.azure),
      anthropic: tracer.wrapClient(bare.anthropic),
      google: tracer.wrapClient(bare.google),
      mcp: tracer.wrapMcpClient(bare.mcp),
    };
    const there: typeof bare = wrapped;
    const back: typeof wrapped = bare;
    expect(there).toEqual(back);
    expect(there.anthropic).toBe(back.anthropic);
  });

  it.each([
    ['nothing', undefined],
    ['a text', 'client'],
    ['an object of another kind', { chat: {} }],
    ['a function', () => undefined],
  ])('throws for %s, with the cure', (_, client) => {
    const { tracer } = createTestTracer();
    expect(() => tracer.wrapClient(client as object)).toThrow(InvalidOptionError);
    expect(() => tracer.wrapClient(client as object)).toThrow(/Pass an instance of OpenAI/);
  });

  it('sends who has an MCP client to wrapMcpClient', () => {
    const { tracer } = createTestTracer();
    expect(() => tracer.wrapClient({ callTool: () => undefined })).toThrow(/wrapMcpClient/);
  });

  it('throws for a client that cannot be changed', () => {
    const { tracer } = createTestTracer();
    const client = new OpenAI({ apiKey: 'k' });
    Object.freeze(client.chat.completions);
    expect(() => tracer.wrapClient(client)).toThrow(/frozen/);
  });

  it('changes nothing while tracing is off', () => {
    const client = new OpenAI({ apiKey: 'k' });
    new Tracer({ enabled: false }).wrapClient(client);
    expect(Object.hasOwn(client.chat.completions, 'create')).toBe(false);
  });

  it('leaves the client without a member that shows', () => {
    const { tracer } = createTestTracer();
    const [bare, client] = [new OpenAI({ apiKey: 'k' }), new OpenAI({ apiKey: 'k' })];
    tracer.wrapClient(client);
    expect(Object.keys(client)).toEqual(Object.keys(bare));
    expect(Object.keys(client.chat.completions)).toEqual(Object.keys(bare.chat.completions));
    expect(client.chat.completions.create.name).toBe('create');
    expect(client.chat.completions.create).toHaveLength(bare.chat.completions.create.length);
  });

  it('records for each of two tracers', async () => {
    const [one, other] = [createTestTracer(), createTestTracer()];
    const client = new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1` });
    other.tracer.wrapClient(one.tracer.wrapClient(client));
    await client.chat.completions.create({ model: 'm', messages: MESSAGES });
    expect([one.spans.length, other.spans.length]).toEqual([1, 1]);
  });

  it('records Azure, under its name', async () => {
    const { tracer, spans } = createTestTracer();
    const sent: string[] = [];
    const client = new AzureOpenAI({
      apiKey: 'k',
      apiVersion: '2025-01-01',
      endpoint: 'https://desk.openai.azure.com',
      fetch: (input, init) => {
        const url = new Request(input, init).url;
        sent.push(url);
        return fetch(url.replace('https://desk.openai.azure.com', server.url), init);
      },
    });
    await tracer.wrapClient(client).chat.completions.create({ model: 'm', messages: MESSAGES });
    expect(sent).toEqual([expect.stringContaining('/openai/deployments/m/chat/completions')]);
    expect(spans).toMatchObject([{ status: 'ok', span_data: { usage: { provider: 'azure', attempts: 1 } } }]);
  });

  it('records no input when none is captured, and continues when a hook fails', async () => {
    const { tracer, spans } = createTestTracer({ capture: { input: false } });
    const client = tracer.wrapClient(new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1` }));
    await client.chat.completions.create({ model: 'm', messages: MESSAGES });
    expect(spans[0]!.span_data).not.toHaveProperty('input');
    expect(spans[0]!.span_data).not.toHaveProperty('prompt');
    expect(spans[0]!.span_data.usage).toMatchObject({ input_tokens: 12 });
  });

  it('is no span inside work that is not traced', async () => {
    const { tracer, spans } = createTestTracer({ sampleRate: 0 });
    const client = tracer.wrapClient(new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1` }));
    const stream = await client.chat.completions.create({ model: 'm', messages: MESSAGES, stream: true });
    let items = 0;
    for await (const chunk of stream) if (chunk.id !== '') items++;
    expect([items > 0, spans.length]).toEqual([true, 0]);
  });
});
