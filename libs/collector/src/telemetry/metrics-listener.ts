import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics } from 'prom-client';
import { listenError } from '../errors.js';
import { CollectorLogger, describeError, errorFields } from '../logger.js';
import { ResolvedOptions } from '../options.js';
import { ServiceMetrics } from './service-metrics.js';

/** Serves `GET /metrics` on a separate port, if the option `metrics` is set. The metrics cover all accounts, so no account's key opens them. */
@Injectable()
export class MetricsListener implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private server: Server | undefined;

  constructor(
    private readonly options: ResolvedOptions,
    private readonly metrics: ServiceMetrics,
    private readonly logger: CollectorLogger,
  ) {}

  /** The address of the metrics; `undefined` without the option. */
  get url(): string | undefined {
    const address = this.server?.address() as AddressInfo | null | undefined;
    if (!address) return undefined;
    const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
    return `http://${host}:${address.port}/metrics`;
  }

  /** @throws PortInUseError, CannotListenError */
  async onApplicationBootstrap(): Promise<void> {
    const { metrics } = this.options;
    if (metrics === undefined) return;
    const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
      void this.answer(request, response);
    });
    this.server = server;
    server.listen(metrics.port, metrics.host);
    try {
      await once(server, 'listening');
    } catch (error) {
      throw listenError(metrics.host, metrics.port, error);
    }
    collectDefaultMetrics({ register: this.metrics.registry });
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.server?.listening !== true) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async answer({ method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
    response
      .setHeader('content-type', 'text/plain; charset=utf-8')
      .setHeader('x-content-type-options', 'nosniff');
    if (url?.split('?', 1)[0] !== '/metrics') response.writeHead(404).end('Only /metrics is served here.\n');
    else if (method !== 'GET') response.writeHead(405, { allow: 'GET' }).end();
    else {
      try {
        const text = await this.metrics.read();
        response.setHeader('content-type', this.metrics.registry.contentType).end(text);
      } catch (error) {
        this.logger.error(`GET /metrics failed: ${describeError(error)}`, errorFields(error));
        response.writeHead(500).end();
      }
    }
  }
}
