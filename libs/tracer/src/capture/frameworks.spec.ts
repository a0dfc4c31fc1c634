import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { once } from 'node:events';
import {
  createServer,
  get,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Capturer } from './capturer.js';

const capturer = new Capturer();
const HEADERS = { authorization: 'Bearer canary-secret', cookie: 'sid=canary-secret' };

/** What a handler of a real server records of its arguments. */
async function recordedBy(
  serve: (record: (...args: unknown[]) => void) => RequestListener | Promise<RequestListener>,
) {
  let recorded = '';
  const listener = await serve((...args) => {
    const { json, replayable } = capturer.captureArguments(args);
    recorded = JSON.stringify({ json, replayable });
  });
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/tickets/7?token=canary-secret`, {
    method: 'POST',
    headers: HEADERS,
    body: 'canary-secret',
  });
  const body = await response.text();
  server.close();
  return { recorded: JSON.parse(recorded) as { json: string; replayable: boolean }, raw: recorded, body };
}

const SERVERS: Record<string, Parameters<typeof recordedBy>[0]> = {
  node: (record) => (request, response) => {
    record(request, response, request.socket);
    void text(request).then((body) => response.end(body));
  },
  Express: (record) => {
    const app = new ExpressAdapter();
    app.post('/tickets/:id', (request: IncomingMessage, response: ServerResponse) => {
      record(request, response, request.socket);
      void text(request).then((body) => response.end(body));
    });
    return app.getInstance<RequestListener>();
  },
  Fastify: async (record) => {
    const app = new FastifyAdapter().getInstance();
    app.addContentTypeParser('*', { parseAs: 'string' }, (_, body, done) => {
      done(null, body);
    });
    app.post('/tickets/:id', (request, reply) => {
      record(request, reply, request.socket);
      return reply.send(request.body);
    });
    await app.ready();
    return (request, response) => {
      app.routing(request, response);
    };
  },
};

describe.each(Object.entries(SERVERS))('a request of %s', (_, serve) => {
  it('is its method and path, its response a status, its socket a name', async () => {
    const { recorded } = await recordedBy(serve);
    expect(JSON.parse(recorded.json)).toEqual([
      { method: 'POST', path: '/tickets/7' },
      { status: 200 },
      '[Socket]',
    ]);
    expect(recorded.replayable).toBe(false);
  });

  it('captures no header, query or body, and is not consumed', async () => {
    const { raw, body } = await recordedBy(serve);
    expect(raw).not.toContain('canary');
    expect(body).toBe('canary-secret');
  });
});

describe('requests and responses of fetch', () => {
  it('are captured like those of a server', () => {
    const request = new Request('https://example.com/a?token=canary', {
      method: 'PUT',
      headers: HEADERS,
      body: 'canary',
    });
    const { json } = capturer.capture([request, new Response('canary', { status: 404 })]);
    expect(JSON.parse(json)).toEqual([{ method: 'PUT', path: '/a' }, { status: 404 }]);
    expect(request.bodyUsed).toBe(false);
  });

  it('that are going out are, too', async () => {
    const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const outgoing = get({
      port: (server.address() as AddressInfo).port,
      path: '/out?key=canary',
      headers: HEADERS,
    });
    const { json } = capturer.capture({ outgoing });
    await once(outgoing, 'response').then(([response]: { resume(): void }[]) => response?.resume());
    server.close();
    expect(json).not.toContain('canary');
    expect(JSON.parse(json)).toEqual({ outgoing: { method: 'GET', path: '/out' } });
  });
});

async function text(stream: AsyncIterable<unknown>): Promise<string> {
  let body = '';
  for await (const chunk of stream) body += String(chunk);
  return body;
}
