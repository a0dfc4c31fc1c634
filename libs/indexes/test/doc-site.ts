import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Page =
  | string
  | { status?: number; headers?: Record<string, string>; body?: string | Buffer }
  | ((request: IncomingMessage, response: ServerResponse) => void);

/** A web server of a test's own, whose pages a test changes as it goes. Pages are HTML unless they say otherwise. */
export class DocSite {
  /** By path and query. */
  readonly pages = new Map<string, Page>();
  /** Paths in the order in which they were asked for, with the answer's status. */
  readonly requested: string[] = [];
  private readonly server = createServer(((request, response) => {
    response.once('close', () => this.requested.push(`${request.url ?? ''} ${response.statusCode}`));
    this.answer(request, response);
  }) satisfies RequestListener);

  static async start(): Promise<DocSite> {
    const site = new DocSite();
    await once(site.server.listen(0, '127.0.0.1'), 'listening');
    return site;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  url(path: string): string {
    return `http://${this.host}${path}`;
  }

  /** Asked for since the last time, without `robots.txt`. */
  takeRequested(): string[] {
    return this.requested.splice(0).filter((path) => !path.startsWith('/robots.txt'));
  }

  sitemap(...paths: string[]): void {
    const urls = paths.map((path) => `<url><loc>${this.url(path)}</loc></url>`).join('');
    this.pages.set('/sitemap.xml', {
      headers: { 'content-type': 'application/xml' },
      body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`,
    });
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const page = this.pages.get(request.url ?? '') ?? { status: 404, body: 'none' };
    if (typeof page === 'function') {
      page(request, response);
      return;
    }
    const { status = 200, headers = {}, body = '' } = typeof page === 'string' ? { body: page } : page;
    const etag = headers['etag'];
    const isKnown = status === 200 && etag !== undefined && request.headers['if-none-match'] === etag;
    response.writeHead(isKnown ? 304 : status, { 'content-type': 'text/html', ...headers });
    response.end(isKnown ? undefined : body);
  }
}
