import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { isRunning } from './mcp/is-running.js';
import { ask, McpProject } from './mcp/mcp-project.js';
import { recordAnswers } from './mcp/record-calls.js';
import { type RecordingService, startRecordingService } from './mcp/recording-service.js';
import { until } from '../../../test/support/until.js';

const KEY = 'a-key-of-the-test';
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });

describe('dacapo mcp --http', () => {
  let service: RecordingService;
  let project: McpProject;
  let server: ChildProcess;
  let url: URL;

  beforeAll(async () => {
    service = await startRecordingService();
    await recordAnswers(service.env, { Bonn: { place: 'Bonn' } });
    project = new McpProject(service.env);
    [server, url] = await start({ DACAPO_MCP_KEY: KEY });
  });
  afterAll(async () => {
    await stop(server);
    await project.close();
    await service.close();
  });

  async function start(env: Record<string, string>): Promise<[ChildProcess, URL, string]> {
    const child = spawn(process.execPath, [project.program, 'mcp', '--http', '0'], {
      cwd: project.folder,
      env: { ...project.programEnv, ...env },
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    let printed = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
    await until(() => printed.includes('/mcp\n') || child.exitCode !== null);
    const [, address] = /Listening on (\S+)\n/.exec(printed)!;
    return [child, new URL(address!), printed];
  }

  async function stop(child: ChildProcess): Promise<void> {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }

  /** Sends a request as any program or page on this machine can. */
  function send(
    headers: Record<string, string>,
    { method = 'POST', path = '/mcp', body = LIST } = {},
  ): Promise<number> {
    const { port } = url;
    const all = {
      host: `127.0.0.1:${port}`,
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', method, path, headers: all }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.on('error', reject);
      sent.end(method === 'GET' ? undefined : body);
    });
  }

  const connect = async (): Promise<Client> => {
    const client = new Client({ name: 'agent', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${KEY}` } };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    return client;
  };

  it('answers the official client, and replays', async () => {
    const client = await connect();
    expect((await client.listTools()).tools).toHaveLength(9);
    const { text } = await ask(client, 'replay_calls', { key: 'support.answer' });
    expect(text).toContain('1 calls replayed: 1 same');
    await client.close();
  });

  it('answers a request with the key and its own Host', async () => {
    expect(await send({})).toBe(200);
    expect(await send({ host: `localhost:${url.port}` })).toBe(200);
  });

  it.each<[string, Record<string, string>, number]>([
    ['a Host that leads here after DNS rebinding', { host: 'evil.example' }, 403],
    ['such a Host with this port', { host: 'evil.example:PORT' }, 403],
    ['a Host with another port', { host: '127.0.0.1:1' }, 403],
    ['a Host that only begins like this one', { host: 'localhost.evil.example:PORT' }, 403],
    ['a page of another site', { origin: 'https://evil.example' }, 403],
    ['a page of another server on this machine', { origin: 'http://localhost:3000' }, 403],
    ['a page that claims to be from here', { origin: 'http://127.0.0.1:PORT' }, 403],
    ['a sandboxed page', { origin: 'null' }, 403],
    ['a browser that sends no Origin', { 'sec-fetch-site': 'same-origin' }, 403],
    ['another key', { authorization: 'Bearer other' }, 401],
    ['no key', { authorization: '' }, 401],
    ['the key in another form', { authorization: KEY }, 401],
    ['the beginning of the key', { authorization: `Bearer ${KEY.slice(0, -1)}` }, 401],
  ])('refuses %s', async (_, headers, status) => {
    const filled = Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', url.port)]);
    expect(await send(Object.fromEntries(filled) as Record<string, string>)).toBe(status);
  });

  it('refuses what a page could send without asking, other addresses and large bodies', async () => {
    expect(await send({ origin: 'https://evil.example' }, { method: 'OPTIONS' })).toBe(403);
    expect(await send({ 'content-type': 'text/plain' })).toBe(415);
    expect(await send({}, { path: '/' })).toBe(404);
    expect(await send({}, { path: '/mcp?key=x' })).toBe(404);
    expect(await send({}, { body: 'x'.repeat(2_000_000) }).catch(() => 413)).toBe(413);
    expect(await send({})).toBe(200);
  });

  it('listens on the loopback address alone, and prints a new key if it has none', async () => {
    const [first, , printed] = await start({ DACAPO_MCP_KEY: '' });
    const [second, , other] = await start({});
    expect(url.hostname).toBe('127.0.0.1');
    const keys = [printed, other].map((text) => /Key: (\S{32})\n/.exec(text)?.[1]);
    expect(new Set(keys).size).toBe(2);
    expect(keys).not.toContain(undefined);
    await Promise.all([stop(first), stop(second)]);
  });

  it('ends the replay of a client that leaves', async () => {
    project.write('hold.txt', '');
    const left = new AbortController();
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'replay_calls', arguments: { key: 'support.answer' } },
    });
    const headers = {
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const asked = fetch(url, { method: 'POST', headers, body, signal: left.signal })
      .then((response) => response.text())
      .catch(() => undefined);
    const pidFile = join(project.folder, 'pid.txt');
    await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '');
    const pid = Number(readFileSync(pidFile, 'utf8'));
    left.abort();
    await asked;
    await until(() => !isRunning(pid));
  });
});

describe('dacapo mcp with a service that keeps no audit log of tools', () => {
  it('still reads, but runs and writes nothing', async () => {
    const service = await startRecordingService();
    await recordAnswers(service.env, { Bonn: { place: 'Bonn' } });
    const older = await startOlderService(service.url);
    const { port } = older.address() as AddressInfo;
    const project = new McpProject({ ...service.env, TRACER_SERVICE_URL: `http://127.0.0.1:${port}` });
    const agent = await project.connect();
    expect((await ask(agent, 'find_calls')).text).toContain('support.answer');
    const replay = await ask(agent, 'replay_calls', { key: 'support.answer' });
    expect(replay).toMatchObject({ isError: true, text: expect.stringContaining('CLI_SERVICE_REFUSED') });
    const { items } = await service.get<{ items: unknown[] }>('/test-runs');
    expect(items).toEqual([]);
    await project.close();
    older.close();
    older.closeAllConnections();
    await service.close();
  });
});

/** Passes requests on, but has no route for uses of tools. */
async function startOlderService(target: string): Promise<Server> {
  const older = createServer((incoming, outgoing) => {
    if (incoming.url?.startsWith('/api/v1/audit-log/tools') === true) {
      outgoing.writeHead(404, { 'content-type': 'application/json' }).end('{"detail":"Not found"}');
      return;
    }
    const { method, headers, url: path } = incoming;
    const passed = request(new URL(path ?? '/', target), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  older.listen(0, '127.0.0.1');
  await once(older, 'listening');
  return older;
}
