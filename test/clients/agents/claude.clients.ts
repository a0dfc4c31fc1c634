import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestTracer } from '../../../libs/tracer/src/testing.js';
import { startStoredSpansService } from '../../../libs/tracer/test/service/stored-spans-service.js';
import { removeFolder } from '../../support/remove-folder.js';
import { type ClaudeServer, startClaudeServer } from './claude-server.js';

interface Message {
  readonly type: string;
  readonly result?: string;
}
interface Query extends AsyncGenerator<Message> {
  interrupt(): Promise<unknown>;
  supportedModels(): Promise<unknown>;
  close(): void;
}
interface AgentSdk {
  query(params: { prompt: string | AsyncIterable<object>; options?: object }): Query;
  tool(name: string, description: string, schema: object, handler: (args: { city: string }) => Promise<object>): object; // prettier-ignore
  createSdkMcpServer(options: object): object;
}

/** The packages are installed only in this folder, so their types are unknown. Each starts its own command line. */
const SDKS: Record<string, AgentSdk> = {
  '0.1.77': jest.requireActual('claude-agent-sdk-v0.1'),
  '0.3.332': jest.requireActual('@anthropic-ai/claude-agent-sdk'),
};
const { z } = jest.requireActual<{ z: { string(): unknown } }>('zod');

let server: ClaudeServer;
let home: string;

beforeAll(async () => {
  server = await startClaudeServer();
  home = mkdtempSync(join(tmpdir(), 'dacapo-claude-'));
});
afterAll(() => {
  server.close();
  return removeFolder(home);
});
beforeEach(() => {
  [server.requests, server.status] = [0, 200];
});

function optionsAt(url: string): object {
  return {
    model: 'claude-sonnet-4-5',
    settingSources: [],
    tools: [],
    cwd: home,
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'sk-test',
      CLAUDE_CODE_MAX_RETRIES: '0',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
  };
}

async function readAll(query: AsyncIterable<Message>): Promise<Message[]> {
  const messages: Message[] = [];
  for await (const message of query) messages.push(message);
  return messages;
}

async function* streamPrompt(text: string): AsyncGenerator<object> {
  await Promise.resolve();
  yield { type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null, session_id: '' };
}

describe.each(Object.entries(SDKS))('query of the Claude Agent SDK %s', (_, sdk) => {
  const { tool, createSdkMcpServer } = sdk;
  const desk = (lookUp: (city: string) => string): object =>
    createSdkMcpServer({
      name: 'desk',
      tools: [
        tool('weather', 'Weather', { city: z.string() }, ({ city }) =>
          Promise.resolve({ content: [{ type: 'text', text: lookUp(city) }] }),
        ),
      ],
    });
  const withDesk = (url: string, lookUp = (city: string) => `${city}: mild`): object => ({
    ...optionsAt(url),
    mcpServers: { desk: desk(lookUp) },
    allowedTools: ['mcp__desk__weather'],
  });
  // A tool in the process needs a prompt that is a stream before version 0.2.
  const ask = async (query: AgentSdk['query'], url: string): Promise<unknown[]> => {
    const messages = await readAll(
      query({ prompt: streamPrompt('Weather in Oslo?'), options: withDesk(url) }),
    );
    return messages.map(({ type, result }) => [type, result]);
  };

  it('returns the messages of the bare one, and records turns, tools, usage and the reported cost', async () => {
    const { tracer, spans, traces } = createTestTracer();
    const bare = await ask(sdk.query, server.url);
    const look = tracer.withSpan('look-up', (city: string) => `${city}: mild`);
    const query = tracer.wrapClaudeQuery(sdk.query);
    const options = withDesk(server.url, look);
    const messages = await readAll(query({ prompt: streamPrompt('Weather in Oslo?'), options }));
    const kinds = (args: readonly unknown[]): string[] =>
      args.map((one) => JSON.stringify(one)).filter((one) => /assistant|user|result/.test(one));
    expect(kinds(messages.map(({ type, result }) => [type, result]))).toEqual(kinds(bare));

    const session = spans.find(({ trace_function_key: key }) => key === 'claude.query')!;
    // The first version asks small models for a title and the like too.
    const isRequested = (name: string): boolean =>
      !name.startsWith('claude-') || name === 'claude-sonnet-4-5';
    const inside = spans.filter(({ parent_id, name }) => parent_id === session.id && isRequested(name));
    expect(inside.map(({ trace_function_key: key, type, status }) => [key, type, status]).toSorted()).toEqual(
      [
        ['claude.model', 'llm', 'ok'],
        ['claude.tool.mcp__desk__weather', 'function', 'ok'],
        ['claude.turn', 'custom', 'ok'],
        ['claude.turn', 'custom', 'ok'],
        ['look-up', 'custom', 'ok'],
      ],
    );
    expect(session).toMatchObject({
      type: 'agent',
      status: 'ok',
      span_data: {
        prompt: 'user:\nWeather in Oslo?',
        output: { type: 'result', subtype: 'success', result: 'A mild day in Oslo.' },
        contexts: [{ finishReason: expect.any(String), turns: expect.any(Number) }],
      },
    });
    expect(JSON.stringify(session)).not.toContain('sk-test');
    const of = (key: string) =>
      inside.find(({ trace_function_key }) => trace_function_key === key)!.span_data;
    expect(of('claude.tool.mcp__desk__weather')).toMatchObject({
      input: [{ city: 'Oslo' }],
      output: [{ type: 'text', text: 'Oslo: mild' }],
    });
    expect(of('claude.model').usage).toEqual(
      expect.objectContaining({
        model: 'claude-sonnet-4-5',
        provider: 'anthropic',
        input_tokens: 30,
        cached_input_tokens: 6,
        output_tokens: 18,
        cost_usd: expect.closeTo(0.0003438, 7),
      }),
    );
    expect(traces[0]?.session_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('answers the call in a replay without the executable', async () => {
    const recorded = createTestTracer();
    const answer =
      (query: AgentSdk['query'], path: object) =>
      async (question: string): Promise<string | undefined> => {
        const options = { ...optionsAt(server.url), ...path, maxTurns: 3 };
        const messages = query({ prompt: question, options });
        for await (const { type, result } of messages) if (type === 'result') return result;
        return undefined;
      };
    const first = answer(recorded.tracer.wrapClaudeQuery(sdk.query), {});
    expect(await recorded.tracer.withSpan('agent', first)('Weather?')).toBe('A mild day in Oslo.');
    const nowhere = { pathToClaudeCodeExecutable: '/nowhere' };
    const service = await startStoredSpansService(recorded.spans);
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const again = tracer.withSpan('agent', answer(tracer.wrapClaudeQuery(sdk.query), nowhere));
    const run = await tracer.replay('agent', again, { mock: 'all' });
    await service.close();
    expect(run.items).toMatchObject([{ verdict: 'same', divergences: [] }]);
    expect(run.ranLive).toEqual({});
  });

  it('records a refused request with its error, and returns the result that says so', async () => {
    server.status = 400;
    const { tracer, spans } = createTestTracer();
    const attempt = async (query: AgentSdk['query']): Promise<unknown> => {
      try {
        const messages = await readAll(query({ prompt: 'Weather?', options: optionsAt(server.url) }));
        return messages.at(-1)?.result;
      } catch (error) {
        return (error as Error).message.replace(/\d+/g, '0');
      }
    };
    const bare = await attempt(sdk.query);
    expect(await attempt(tracer.wrapClaudeQuery(sdk.query))).toEqual(bare);
    expect(spans.find(({ type }) => type === 'agent')).toMatchObject({ status: 'error' });
  });

  it('is cancelled by its abort controller, by `close` and by leaving the loop', async () => {
    const { tracer, spans } = createTestTracer();
    const query = tracer.wrapClaudeQuery(sdk.query);
    const abortController = new AbortController();
    const aborted = query({ prompt: 'Weather?', options: { ...optionsAt(server.url), abortController } });
    await aborted.next();
    abortController.abort();
    await readAll(aborted).catch(() => undefined);
    for await (const message of query({ prompt: 'Weather?', options: optionsAt(server.url) }))
      if (message.type === 'system') break;
    const closed = query({ prompt: 'Weather?', options: optionsAt(server.url) });
    await closed.next();
    if (typeof closed.close === 'function') closed.close();
    else await closed.return(undefined);
    const sessions = spans.filter(({ type }) => type === 'agent');
    expect(sessions.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });
});
