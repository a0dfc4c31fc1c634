import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { InvalidOptionError } from '../../src/errors.js';
import { runWithTraceContext } from '../../src/recording/trace-context.js';
import { createTestTracer, type TestTracer } from '../../src/testing.js';

export const CITY = z.object({ city: z.string() });

export interface McpUnderTest {
  readonly version: string;
  readonly Client: typeof Client;
  readonly McpServer: typeof McpServer;
  readonly InMemoryTransport: typeof InMemoryTransport;
  /** What says of a tool that it takes a city; each version has a validator of its own. */
  readonly cityInput: object;
  /** Version 2 takes the options of a call in the place of the schema of its result. */
  readonly takesOptionsSecond?: boolean;
}

/** What a handler gets beside its arguments: version 2 has the request in a property. */
interface HandlerContext {
  readonly _meta?: Record<string, unknown>;
  readonly mcpReq?: { readonly _meta?: Record<string, unknown> };
}

/** What a wrapped client of one version does. */
export function describeMcp(under: McpUnderTest): void {
  const { version, Client, InMemoryTransport } = under;
  describe(`a wrapped client of the Model Context Protocol, ${version}`, () => {
    let here: TestTracer;
    let there: TestTracer;
    let client: Client;
    /** What the client sent, in order. */
    let sent: { method?: string; params?: { _meta?: { traceparent?: string } } }[];

    beforeEach(async () => {
      [here, there] = [createTestTracer(), createTestTracer()];
      client = here.tracer.wrapMcpClient(new Client({ name: 'desk', version: '1' }));
      const [one, other] = InMemoryTransport.createLinkedPair();
      sent = [];
      const send = one.send.bind(one);
      one.send = (message, options) => {
        sent.push(message as (typeof sent)[number]);
        return send(message, options);
      };
      await weatherServer(under, there).connect(other);
      await client.connect(one);
    });

    afterEach(() => client.close());

    it('records calls of tools, lists, resources and prompts, and returns what the bare client returns', async () => {
      const listed = await client.listTools();
      const called = await client.callTool({ name: 'weather', arguments: { city: 'Oslo' } });
      await client.readResource({ uri: 'desk://hours' });
      await client.getPrompt({ name: 'greet' });
      expect(called).toEqual({ content: [{ type: 'text', text: 'Oslo: mild' }] });
      expect(here.spans).toMatchObject([
        {
          trace_function_key: 'mcp.listTools',
          span_data: { output: { tools: [{ name: 'weather' }, { name: 'hang' }, { name: 'fail' }] } },
        },
        {
          trace_function_key: 'mcp.callTool.weather',
          name: 'weather',
          type: 'function',
          status: 'ok',
          span_data: { input: [{ name: 'weather', arguments: { city: 'Oslo' } }], output: called },
        },
        { trace_function_key: 'mcp.readResource', span_data: { input: [{ uri: 'desk://hours' }] } },
        { trace_function_key: 'mcp.getPrompt', span_data: { input: [{ name: 'greet' }] } },
      ]);
      expect(here.spans).toHaveLength(4);
      expect(listed.tools).toHaveLength(3);
    });

    it('records what a server offers', async () => {
      const { resources } = await client.listResources();
      const { prompts } = await client.listPrompts();
      expect([resources.map(({ uri }) => uri), prompts.map(({ name }) => name)]).toEqual([
        ['desk://hours'],
        ['greet'],
      ]);
      expect(here.spans).toMatchObject([
        {
          trace_function_key: 'mcp.listResources',
          status: 'ok',
          span_data: { output: { resources: [{ uri: 'desk://hours' }] } },
        },
        {
          trace_function_key: 'mcp.listPrompts',
          status: 'ok',
          span_data: { output: { prompts: [{ name: 'greet' }] } },
        },
      ]);
    });

    it('is one trace with the work of the server for it', async () => {
      const ask = here.tracer.withSpan('ask', () =>
        client.callTool({ name: 'weather', arguments: { city: 'Oslo' } }),
      );
      await ask();
      const [call, root] = here.spans;
      expect(there.spans).toMatchObject([{ trace_id: root!.trace_id, parent_id: call!.id, name: 'look-up' }]);
    });

    it('sends the position of its span with each request', async () => {
      await client.listTools();
      await client.callTool({ name: 'weather', arguments: { city: 'Oslo' } });
      await client.readResource({ uri: 'desk://hours' });
      await client.getPrompt({ name: 'greet' });
      const methods = ['tools/list', 'tools/call', 'resources/read', 'prompts/get'];
      const positions = methods.map((method) => sent.find((one) => one.method === method)?.params?._meta);
      expect(positions).toMatchObject(
        here.spans.map(({ trace_id, id }) => ({
          traceparent: `00-${trace_id.replaceAll('-', '')}-${id}-01`,
        })),
      );
      expect(positions).toHaveLength(4);
    });

    it('is cancelled when the caller cancels a request, and an error when it takes too long', async () => {
      const controller = new AbortController();
      const hanging = { name: 'hang', arguments: {} };
      const ask = (options: object): Promise<unknown> =>
        under.takesOptionsSecond
          ? (client.callTool as (...args: unknown[]) => Promise<unknown>)(hanging, options)
          : client.callTool(hanging, undefined, options);
      const pending = ask({ signal: controller.signal });
      setImmediate(() => {
        controller.abort(new Error('taken back'));
      });
      await expect(pending).rejects.toThrow('taken back');
      await expect(ask({ timeout: 20 })).rejects.toThrow('timed out');
      expect(here.spans).toMatchObject([
        { name: 'hang', status: 'cancelled' },
        {
          name: 'hang',
          status: 'error',
          span_data: { error: { message: expect.stringContaining('timed out') } },
        },
      ]);
      expect(here.spans[0]!.span_data.error).toBeUndefined();
    });

    it('reports a failed tool, which the protocol answers, and throws when the protocol fails', async () => {
      const answer = await client.callTool({ name: 'fail', arguments: {} });
      expect(answer.isError).toBe(true);
      await expect(client.readResource({ uri: 'desk://nothing' })).rejects.toThrow('not found');
      expect(here.spans).toMatchObject([
        { name: 'fail', status: 'ok', span_data: { contexts: [{ isError: true }] } },
        { name: 'mcp.readResource', status: 'error' },
      ]);
    });

    it("sends the caller's _meta unchanged", async () => {
      const params = { name: 'weather', arguments: { city: 'Oslo' }, _meta: { own: 1 } };
      await client.callTool(params);
      expect(params._meta).toEqual({ own: 1 });
      expect(here.spans[0]!.span_data.input).toEqual([{ name: 'weather', arguments: { city: 'Oslo' } }]);
      expect(there.spans[0]!.span_data.contexts).toMatchObject([{ own: 1, traceparent: expect.any(String) }]);
    });

    it('rejects other values as a setup mistake, and returns a client of the same type', () => {
      expect(() => here.tracer.wrapMcpClient({})).toThrow(InvalidOptionError);
      const again: Client = here.tracer.wrapMcpClient(client);
      expect(again).toBe(client);
    });
  });
}

/** What a server does to continue the trace: its handlers run with the `_meta` of the request. */
export function weatherServer({ McpServer, cityInput }: McpUnderTest, { tracer }: TestTracer): McpServer {
  const server = new McpServer({ name: 'weather', version: '1' });
  const lookUp = tracer.withSpan('look-up', (city: string, meta: object) => {
    tracer.getCurrentSpan().addContext(meta);
    return `${city}: mild`;
  });
  const weather = ({ city }: { city: string }, { _meta, mcpReq }: HandlerContext): object => {
    const meta = _meta ?? mcpReq?._meta ?? {};
    const answer = (): object => ({ content: [{ type: 'text', text: lookUp(city, meta) }] });
    return runWithTraceContext(meta, answer, { incoming: 'continue' });
  };
  server.registerTool('weather', { inputSchema: cityInput as never }, weather as never);
  server.registerTool('hang', {}, () => new Promise(() => undefined));
  server.registerTool('fail', {}, () => {
    throw new Error('no weather today');
  });
  server.registerResource('hours', 'desk://hours', {}, ({ href }) => ({
    contents: [{ uri: href, text: '9 to 5' }],
  }));
  server.registerPrompt('greet', {}, () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
  }));
  return server;
}
