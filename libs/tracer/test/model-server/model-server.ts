import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Dialect } from './dialect.js';
import { DIALECTS } from './dialects.js';
import type { ModelReply } from './model-reply.js';
import { type ModelRequest, readRequest } from './model-request.js';

/** A loopback server that speaks the model providers' HTTP, and answers as it is told. */
export interface ModelServer {
  readonly url: string;
  /** What was asked, in order. */
  readonly requests: ModelRequest[];
  /** How requests are answered from now on. */
  reply: (request: ModelRequest) => ModelReply;
  close(): Promise<void>;
}

export async function startModelServer(): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const http = createServer((incoming, outgoing) => {
    void (async () => {
      const request = await readRequest(incoming);
      requests.push(request);
      await answer(request, server.reply(request), outgoing);
    })().catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  const server: ModelServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    requests,
    reply: () => ({}),
    close: () =>
      new Promise((resolve) => {
        http.close(() => {
          resolve();
        });
        http.closeAllConnections();
      }),
  };
  return server;
}

/** By the names of OpenAI and of Anthropic. */
const REQUEST_ID = { 'x-request-id': 'req_1', 'request-id': 'req_1' };

async function answer(request: ModelRequest, reply: ModelReply, response: ServerResponse): Promise<void> {
  if (reply.hang === true) return;
  if (reply.delayMs !== undefined) await delay(reply.delayMs);
  const { status = 200 } = reply;
  const dialect = DIALECTS.find((candidate) => candidate.matches(request));
  if (dialect === undefined || status !== 200) {
    response.writeHead(dialect === undefined ? 404 : status, {
      'content-type': 'application/json',
      ...REQUEST_ID,
      ...reply.headers,
    });
    response.end(
      JSON.stringify({ error: { message: reply.message ?? `answered with ${status}`, type: 'stand_in' } }),
    );
  } else if (reply.malformed === true) {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices": [');
  } else if (dialect.isStream(request)) {
    await stream(dialect, request, reply, response);
  } else {
    const whole = dialect.whole(request, reply);
    const isBytes = Buffer.isBuffer(whole);
    response
      .writeHead(200, { 'content-type': isBytes ? 'audio/mpeg' : 'application/json', ...REQUEST_ID })
      .end(isBytes ? whole : JSON.stringify(whole));
  }
}

async function stream(
  dialect: Dialect,
  request: ModelRequest,
  reply: ModelReply,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...REQUEST_ID });
  for (const [index, { event, data }] of dialect.events(request, reply).entries()) {
    if (index === reply.hangAfter) return;
    if (index === reply.breakAfter) {
      response.destroy();
      return;
    }
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    if (event !== undefined) response.write(`event: ${event}\n`);
    response.write(`data: ${index === reply.malformedAt ? text.slice(0, -3) : text}\n\n`);
    await delay(1);
  }
  response.end();
}
