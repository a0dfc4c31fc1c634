import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Replaces the service's response; `undefined` forwards the request. */
export type Interference = (request: {
  readonly path: string;
  /** Number of earlier requests to this path. */
  readonly before: number;
  /** Forwards the request and returns the response. */
  readonly forward: () => Promise<Answer>;
}) => Promise<Answer> | Answer | 'drop' | 'hang' | undefined;

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Connection headers that `fetch` sets. */
const HOP_HEADERS = new Set(['host', 'connection', 'content-length', 'expect', 'transfer-encoding']);

/** Proxies requests of a replay to the service, on its own port. */
export class ServiceProxy {
  private readonly seen = new Map<string, number>();
  private constructor(
    private readonly server: Server,
    private readonly serviceUrl: string,
    private readonly interfere: Interference,
  ) {}

  static async start(serviceUrl: string, interfere: Interference): Promise<ServiceProxy> {
    const server = createServer((request, response) => void proxy.answer(request, response));
    const proxy = new ServiceProxy(server, serviceUrl, interfere);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = '', method = 'GET', headers } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const before = this.seen.get(path) ?? 0;
    this.seen.set(path, before + 1);
    const kept = Object.entries(headers).filter(([name]) => !HOP_HEADERS.has(name));
    const forward = async (): Promise<Answer> => {
      const answer = await fetch(`${this.serviceUrl}${path}`, {
        method,
        headers: Object.fromEntries(kept) as Record<string, string>,
        ...(method !== 'GET' && { body: Buffer.concat(chunks) }),
      });
      return { status: answer.status, body: answer.body === null ? '' : await text(answer.body) };
    };
    const answer = await this.interfere({ path, before, forward });
    if (answer === 'hang') return;
    if (answer === 'drop') {
      response.destroy();
      return;
    }
    const { status, body } = answer ?? (await forward());
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  }
}
