import './outside-fetch.js';
import Anthropic from '@anthropic-ai/sdk';
import { ApiError, GoogleGenAI } from '@google/genai';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import OpenAI from 'openai';
import { type ModelServer, startModelServer } from '../model-server/model-server.js';
import { type MakeAgent, readAll, recordAndReplay } from './replayed-agent.js';

/** Answers with events whose last one is an error. */
const failing =
  (...events: string[]) =>
  async (): Promise<Response> =>
    new Response(events.join('\n\n') + '\n\n', { headers: { 'content-type': 'text/event-stream' } });

/** What an application asks of the error that it caught. */
const caught = async (work: Promise<unknown>, isKnown: (error: unknown) => boolean): Promise<unknown> => {
  try {
    await work;
    return 'no error';
  } catch (error) {
    return isKnown(error)
      ? [(error as Error).message, (error as Error).constructor.name]
      : `another class: ${String(error)}`;
  }
};

const messages = [{ role: 'user' as const, content: 'Weather?' }];

const AGENTS: Record<string, MakeAgent> = {
  'OpenAI, inside a stream': (tracer, url) => {
    const fetch = failing(
      'data: {"choices":[{"index":0,"delta":{"content":"A"}}]}',
      'data: {"error":{"message":"Overloaded","type":"server_error","code":"busy"}}',
    );
    const client = tracer.wrapClient(new OpenAI({ apiKey: 'k', baseURL: url, fetch, maxRetries: 0 }));
    return () =>
      caught(
        client.chat.completions.create({ model: 'm', messages, stream: true }).then(readAll),
        (error) => error instanceof OpenAI.APIError && error.code === 'busy',
      );
  },
  'Anthropic, inside a stream': (tracer, url) => {
    const fetch = failing(
      'event: message_start\ndata: {"type":"message_start","message":{"id":"m","content":[],"usage":{}}}',
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    );
    const client = tracer.wrapClient(new Anthropic({ apiKey: 'k', baseURL: url, fetch, maxRetries: 0 }));
    return () =>
      caught(
        client.messages.create({ model: 'm', max_tokens: 9, messages, stream: true }).then(readAll),
        (error) => error instanceof Anthropic.APIError,
      );
  },
  Google: (tracer, url) => {
    const client = tracer.wrapClient(new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: url } }));
    return () =>
      caught(
        client.models.generateContent({ model: 'gemini-3-flash', contents: 'Weather?' }),
        (error) => error instanceof ApiError && error.status === 400,
      );
  },
  'the Model Context Protocol': (tracer) => async () => {
    const server = new McpServer({ name: 'desk', version: '1' });
    server.registerResource('hours', 'desk://hours', {}, () => ({ contents: [] }));
    const client = tracer.wrapMcpClient(new Client({ name: 'desk', version: '1' }));
    const [here, there] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(there), client.connect(here)]);
    try {
      return await caught(
        client.readResource({ uri: 'desk://nothing' }),
        (error) => error instanceof McpError && typeof error.code === 'number',
      );
    } finally {
      await client.close();
    }
  },
};

describe('an error that a replay throws in place of a client', () => {
  let server: ModelServer;

  beforeAll(async () => {
    server = await startModelServer();
    server.reply = () => ({ status: 400 });
  });
  afterAll(() => server.close());

  it.each(Object.entries(AGENTS))('has the class that the application checks: %s', async (_, agent) => {
    const { item, connections } = await recordAndReplay(server.url, agent);
    expect(item).toMatchObject({ verdict: 'same', divergences: [] });
    expect(item.result).toHaveLength(2);
    expect(connections).toBe(0);
  });
});
