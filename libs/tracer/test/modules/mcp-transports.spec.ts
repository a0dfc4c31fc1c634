import type { SpanRecord } from '@dacapo/protocol';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestTracer } from '../../src/testing.js';
import type { Tracer } from '../../src/tracer.js';
import { recordAndReplay } from '../clients/replayed-agent.js';
import { applicationFolder } from './baml-copy.js';

const DIST = join(__dirname, '../../dist/cjs');

/** A server in a process of its own, with a tracer of its own, whose spans it tells by a tool. */
const SERVER = `
  const { createServer } = require('node:http');
  const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
  const { StdioServerTransport } = require('@modelcontextprotocol/sdk/server/stdio.js');
  const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js');
  const { runWithTraceContext } = require(${JSON.stringify(join(DIST, 'index.js'))});
  const { createTestTracer } = require(${JSON.stringify(join(DIST, 'testing.js'))});
  const { tracer, spans } = createTestTracer({ incoming: 'continue' });
  const lookUp = tracer.withSpan('look-up', async (what) => what + ': mild');
  const traced = async (what, { _meta }) => runWithTraceContext(_meta ?? {}, () => lookUp(what));
  function newServer() {
    const server = new McpServer({ name: 'weather', version: '1' });
    const content = (text) => ({ content: [{ type: 'text', text }] });
    server.registerTool('weather', {}, async (extra) => content(await traced('a tool', extra)));
    server.registerTool('spans', {}, async () => content(JSON.stringify(spans)));
    server.registerTool('hang', {}, () => new Promise(() => undefined));
    server.registerTool('fail', {}, () => { throw new Error('no weather today'); });
    server.registerResource('hours', 'desk://hours', {}, async ({ href }, extra) => ({
      contents: [{ uri: href, text: await traced('a resource', extra) }],
    }));
    server.registerPrompt('greet', {}, async (extra) => ({
      messages: [{ role: 'user', content: { type: 'text', text: await traced('a prompt', extra) } }],
    }));
    return server;
  }
  if (process.argv[2] === 'stdio') newServer().connect(new StdioServerTransport());
  else
    createServer(async (request, response) => {
      const transport = new StreamableHTTPServerTransport({});
      await newServer().connect(transport);
      await transport.handleRequest(request, response);
    }).listen(0, '127.0.0.1', function () { console.log(this.address().port); });
`;

let script: string;
let http: ChildProcess;
let url: string;

beforeAll(async () => {
  const application = applicationFolder();
  symlinkSync(join(__dirname, '../../../../node_modules'), join(application, 'node_modules'), 'junction');
  script = join(application, 'server.cjs');
  writeFileSync(script, SERVER);
  http = spawn(process.execPath, [script, 'http'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(http.stdout!, 'data')) as [Buffer];
  url = `http://127.0.0.1:${port.toString().trim()}/mcp`;
});
afterAll(async () => {
  http.kill();
  await once(http, 'exit');
});

/** How a client reaches the server that is at a place: its script, or its address. */
interface Way {
  place(): string;
  transport(place: string): Transport;
  readonly nowhere: string;
}

const WAYS: Record<string, Way> = {
  stdio: {
    place: () => script,
    transport: (place) => new StdioClientTransport({ command: process.execPath, args: [place, 'stdio'] }),
    nowhere: '/no/such/server.cjs',
  },
  'streamable HTTP': {
    place: () => url,
    transport: (place) => new StreamableHTTPClientTransport(new URL(place)),
    nowhere: 'http://127.0.0.1:9/mcp',
  },
};

const newClient = (tracer: Tracer): Client =>
  tracer.wrapMcpClient(new Client({ name: 'desk', version: '1' }));

const readText = ({ content }: Awaited<ReturnType<Client['callTool']>>): string =>
  (content as { text: string }[])[0]!.text;

describe.each(Object.entries(WAYS))('a wrapped client of a server over %s', (_, way) => {
  it('is one trace with the work of the server for it: for tools, resources and prompts', async () => {
    const { tracer, spans } = createTestTracer();
    const client = newClient(tracer);
    await client.connect(way.transport(way.place()));
    const ask = tracer.withSpan('ask', async () => {
      await client.listTools();
      await client.callTool({ name: 'weather' });
      await client.readResource({ uri: 'desk://hours' });
      await client.getPrompt({ name: 'greet' });
    });
    await ask();
    const there = JSON.parse(readText(await client.callTool({ name: 'spans' }))) as SpanRecord[];
    await client.close();
    const byId = new Map(spans.map((span) => [span.id, span]));
    const root = spans.find(({ name }) => name === 'ask')!;
    const own = there.filter(({ trace_id }) => trace_id === root.trace_id);
    expect(own.map(({ parent_id }) => byId.get(parent_id!)?.trace_function_key)).toEqual([
      'mcp.callTool.weather',
      'mcp.readResource',
      'mcp.getPrompt',
    ]);
    expect(spans.filter(({ parent_id }) => parent_id === root.id)).toHaveLength(4);
  });

  it('records a failed tool and a slow one, and a replay repeats both', async () => {
    const { item, recorded, run } = await recordAndReplay(
      way.place(),
      (tracer, place) => async () => {
        const client = newClient(tracer);
        await client.connect(way.transport(place));
        const { tools } = await client.listTools();
        const failed = await client.callTool({ name: 'fail' });
        const late = client.callTool({ name: 'hang' }, undefined, { timeout: 50 });
        const error = (await late.catch((thrown: unknown) => thrown)) as Error & { code: number };
        const { contents } = await client.readResource({ uri: 'desk://hours' });
        await client.close();
        return [tools.length, failed, error.message, error.code, contents];
      },
      { network: 'deny', replayedAt: way.nowhere },
    );
    expect(recorded.find(({ name }) => name === 'fail')).toMatchObject({
      status: 'ok',
      span_data: { contexts: [{ isError: true }] },
    });
    expect(recorded.find(({ name }) => name === 'hang')).toMatchObject({
      status: 'error',
      span_data: { error: { message: expect.stringContaining('timed out'), code: -32001 } },
    });
    expect(item).toMatchObject({ verdict: 'same', divergences: [] });
    expect(item.result).toMatchObject([
      4,
      { isError: true },
      expect.stringContaining('timed out'),
      -32001,
      [{ text: 'a resource: mild' }],
    ]);
    expect(run.ranLive).toEqual({});
  });
});
