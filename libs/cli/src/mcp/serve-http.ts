import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CliIo } from '../io.js';

const HOST = '127.0.0.1';
const MOST_BYTES = 1024 * 1024;
const HEADERS_MS = 10_000;

interface Handler {
  fetch(request: Request): Promise<Response>;
}

interface HttpParts {
  readonly port: number;
  /** Default: a new one, which is printed. */
  readonly key: string | undefined;
  readonly io: Pick<CliIo, 'stderr'>;
}

/**
 * Serves MCP at `/mcp` on the loopback address. Every request needs the key. Requests of web pages are refused: those with an `Origin`,
 * and those whose `Host` is not this address, as after DNS rebinding.
 */
export async function serveHttp(
  handler: Handler,
  { port, key, io }: HttpParts,
): Promise<{ close(): Promise<void> }> {
  const given = key?.trim() ?? '';
  const secret = given === '' ? randomBytes(24).toString('base64url') : given;
  const server = createServer(
    { headersTimeout: HEADERS_MS, requestTimeout: 3 * HEADERS_MS },
    (request, response) => {
      const { port: bound } = server.address() as AddressInfo;
      answer(request, response, { handler, secret, port: bound }).catch(() => {
        if (!response.headersSent) response.writeHead(500);
        response.end();
      });
    },
  );
  server.listen(port, HOST);
  await once(server, 'listening');
  const address = `http://${HOST}:${(server.address() as AddressInfo).port}/mcp`;
  io.stderr.write(`${given === '' ? `Key: ${secret}\n` : ''}Listening on ${address}\n`);
  return {
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  { handler, secret, port }: { handler: Handler; secret: string; port: number },
): Promise<void> {
  const refusal = refuse(incoming, secret, port);
  if (refusal !== undefined) {
    const [status, message] = refusal;
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
    response.end(`${JSON.stringify({ error: message })}\n`);
    return;
  }
  const body = await readBody(incoming);
  if (body === undefined) {
    response.writeHead(413, { connection: 'close' });
    response.end();
    return;
  }
  const left = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) left.abort();
  });
  const { method = 'GET' } = incoming;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const request = new Request(`http://${HOST}:${port}/mcp`, {
    method,
    headers: readHeaders(incoming),
    signal: left.signal,
    ...(hasBody && { body }),
  });
  const result = await handler.fetch(request);
  response.writeHead(result.status, Object.fromEntries(result.headers));
  if (result.body !== null) for await (const chunk of result.body) response.write(chunk);
  response.end();
}

function refuse(
  { headers, url }: IncomingMessage,
  secret: string,
  port: number,
): [number, string] | undefined {
  const { host, origin, authorization = '' } = headers;
  const hosts = [`${HOST}:${port}`, `localhost:${port}`];
  if (host === undefined || !hosts.includes(host.toLowerCase()))
    return [403, `Host must be ${hosts.join(' or ')}.`];
  if (origin !== undefined || headers['sec-fetch-site'] !== undefined)
    return [403, 'Web pages may not call this server.'];
  if (!isEqual(authorization, `Bearer ${secret}`)) return [401, 'Send the key: Authorization: Bearer <key>.'];
  if (url !== '/mcp') return [404, 'The address ends with /mcp.'];
  return undefined;
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function readHeaders({ headers }: IncomingMessage): Headers {
  const read = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (typeof value === 'string' && name !== 'authorization') read.set(name, value);
  return read;
}
