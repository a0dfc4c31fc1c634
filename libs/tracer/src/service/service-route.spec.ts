import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { Agent, createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { inspect } from 'node:util';
import { ConnectProxy } from '../../test/delivery/connect-proxy.js';
import type { TracerError } from '../errors.js';
import type { ConnectionOptions } from '../options/connection-options.js';
import { Tracer } from '../tracer.js';

const fixture = (name: string) =>
  readFileSync(join(__dirname, '../../../../test/faults/fixtures', name), 'utf8');
const ca = fixture('self-signed.cert.pem');

describe('The way to the service', () => {
  let proxy: ConnectProxy;
  let service: Server;
  let plain: ReturnType<typeof createHttpServer>;
  let stored: number;
  let tracer: Tracer;
  let errors: TracerError[];

  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url?.includes('/ingest') !== true) {
        response.end('{"items":[]}');
        return;
      }
      const accepted = Buffer.concat(chunks).toString().split('\n').length - 1;
      stored += accepted;
      // Compressed though nobody asked for it, as some proxies do.
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync(JSON.stringify({ accepted, rejected: [] })));
    });
  };
  const readPort = (server: Server | typeof plain) => (server.address() as AddressInfo).port;

  function record(
    connection: ConnectionOptions,
    serviceUrl = `https://127.0.0.1:${readPort(service)}`,
    timeout = 5000,
  ): void {
    const seen = errors;
    tracer = new Tracer({
      apiKey: 'the-key',
      serviceUrl,
      connection,
      timeout,
      delivery: { spool: false, retryMinDelayMs: 10, retryMaxDelayMs: 20 },
      onError: (error) => seen.push(error),
      logger: { warn: () => undefined },
    });
    tracer.withSpan('answer', () => 1)();
  }

  /** Flushes until the tracer has reported why nothing arrives. */
  async function flushInVain(): Promise<void> {
    do expect(await tracer.flush(100)).toBe(false);
    while (errors.length === 0);
  }

  beforeEach(async () => {
    stored = 0;
    errors = [];
    proxy = await ConnectProxy.start();
    service = createServer({ key: fixture('self-signed.key.pem'), cert: ca }, listener).listen(
      0,
      '127.0.0.1',
    );
    plain = createHttpServer(listener).listen(0, '127.0.0.1');
    await Promise.all([once(service, 'listening'), once(plain, 'listening')]);
  });

  afterEach(async () => {
    await tracer.shutdown(0);
    service.closeAllConnections();
    plain.closeAllConnections();
    service.close();
    plain.close();
    await proxy.stop();
  });

  it('uses a tunnel of the proxy for https, with the configured certificates', async () => {
    record({ proxy: proxy.url, ca });
    expect(await tracer.flush()).toBe(true);
    expect([stored, proxy.requested]).toEqual([1, [`CONNECT 127.0.0.1:${readPort(service)}`]]);
  });

  it('hands whole addresses to the proxy for http', async () => {
    record({ proxy: proxy.url }, `http://127.0.0.1:${readPort(plain)}`);
    expect(await tracer.flush()).toBe(true);
    expect([stored, proxy.requested]).toEqual([
      1,
      [`POST http://127.0.0.1:${readPort(plain)}/api/v1/ingest`],
    ]);
  });

  it('trusts no service without a valid certificate', async () => {
    record({ proxy: proxy.url });
    await flushInVain();
    expect([stored, errors[0]?.message]).toEqual([0, expect.stringContaining('certificate')]);
  });

  it('is the same for requests that are waited for', async () => {
    record({ proxy: proxy.url, ca });
    await tracer.indexes.list().catch(() => undefined);
    expect(proxy.requested.length).toBeGreaterThan(0);
  });

  it('shows the credentials of the proxy to the proxy only', async () => {
    proxy.credentials = 'user:s3cret-word';
    record({ proxy: proxy.url.replace('//', '//user:wrong-word@'), ca });
    await flushInVain();
    expect(errors[0]?.message).toContain('answered 407');
    expect(inspect([tracer, errors], { depth: 10, showHidden: true })).not.toContain('wrong-word');
    await tracer.shutdown(0);
    record({ proxy: proxy.url.replace('//', '//user:s3cret-word@'), ca });
    expect(await tracer.flush()).toBe(true);
    expect(inspect([tracer, errors], { depth: 10, showHidden: true })).not.toContain('s3cret-word');
  });

  it.each(['hangs', 'dies'] as const)(
    'keeps records while the proxy %s, and continues when it works again',
    async (fault) => {
      proxy.behaviour = fault;
      // The tracer gives up the request that hangs, and tries again.
      record({ proxy: proxy.url, ca }, undefined, 500);
      expect(await tracer.flush(100)).toBe(false);
      expect(tracer.stats().waiting).toBe(1);
      proxy.behaviour = 'works';
      expect(await tracer.flush(20_000)).toBe(true);
      expect(stored).toBe(1);
    },
  );

  it('uses an agent of the application', async () => {
    const agent = new Agent({ ca, keepAlive: true });
    record({ agent });
    expect(await tracer.flush()).toBe(true);
    await tracer.shutdown();
    expect([stored, Object.keys(agent.freeSockets).length]).toEqual([1, 1]);
    agent.destroy();
  });

  it('is refused with the cure when it cannot work, and names no password', () => {
    record({}, `http://127.0.0.1:${readPort(plain)}`);
    const make = (connection: ConnectionOptions) => () =>
      new Tracer({ apiKey: 'k', connection, serviceUrl: 'https://dacapo.example.com' });
    expect(make({ proxy: 'socks5://user:s3cret@proxy' })).toThrow(
      'connection.proxy must be an http or https address',
    );
    expect(make({ proxy: 'socks5://user:s3cret@proxy' })).not.toThrow('s3cret');
    expect(make({ ca: 'no certificate' })).toThrow('connection.ca must be a certificate in PEM');
    expect(() => new Tracer({ apiKey: 'dcp_1…2', serviceUrl: 'https://dacapo.example.com' })).toThrow(
      'apiKey has an invalid character at position 6 (U+2026)',
    );
  });
});
