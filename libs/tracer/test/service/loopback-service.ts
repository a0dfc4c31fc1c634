import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ServiceCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

/** What to answer: JSON, or a Buffer as it is. `undefined` answers 404, and `'hang'` never. */
export type Answer = (call: ServiceCall) => { status?: number; body: unknown } | 'hang' | undefined;

export interface LoopbackService {
  readonly url: string;
  readonly calls: readonly ServiceCall[];
  /** The paths of requests that the client gave up before they were answered. */
  readonly aborted: readonly string[];
  close(): Promise<void>;
}

/** A service on loopback that remembers what it was asked. */
export async function startLoopbackService(answer: Answer): Promise<LoopbackService> {
  const calls: ServiceCall[] = [];
  const aborted: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const call = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: text.startsWith('{') && !text.includes('\n') ? (JSON.parse(text) as unknown) : text,
      };
      calls.push(call);
      response.once('close', () => {
        if (!response.writableFinished) aborted.push(call.path);
      });
      const answered = answer(call) ?? { status: 404, body: { detail: 'unknown', status_code: 404 } };
      if (answered === 'hang') return;
      const { status = 200, body } = answered;
      if (Buffer.isBuffer(body)) response.writeHead(status).end(body);
      else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    aborted,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
