import { API, type Route } from '@dacapo/protocol/api';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CollectorLogger } from '../logger.js';
import { ServiceMetrics } from '../telemetry/service-metrics.js';
import { findCaller } from './access/caller.decorator.js';
import { countReceivedBytes } from './body/read-body.js';

/** Logged when the client disconnects before the answer. No client ever receives it. */
const LEFT = 499;

const TAGS = new Map(
  Object.values(API)
    .flatMap((routes) => Object.values<Route>(routes))
    .map(({ method, path, tag }) => [`${method} ${path}`, tag]),
);

const PROBES: readonly string[] = [API.service.live.path, API.service.ready.path];

/** Counts and logs each request: its route and its result, nothing of its content. */
@Injectable()
export class RequestObserver {
  constructor(
    private readonly metrics: ServiceMetrics,
    private readonly logger: CollectorLogger,
  ) {}

  observe(request: FastifyRequest, reply: FastifyReply): void {
    const arrivedMs = performance.now();
    this.metrics.requestArrived();
    reply.raw.once('close', () => {
      const status = reply.raw.writableFinished ? reply.raw.statusCode : LEFT;
      this.ended(request, status, performance.now() - arrivedMs);
    });
  }

  private ended(request: FastifyRequest, status: number, durationMs: number): void {
    const { id, method } = request;
    const route = routePattern(request);
    const bytes = countReceivedBytes(request);
    this.metrics.requestEnded(classifyRoute(method, route), status, durationMs / 1000, bytes);
    if (PROBES.includes(route) && status < 400) return;
    const caller = findCaller(request);
    this.logger.info(`${method} ${route} ${status}`, {
      request_id: id,
      method,
      route,
      status,
      duration_ms: Math.round(durationMs * 10) / 10,
      account_id: caller?.accountId,
      key_id: caller?.keyId,
      body_bytes: bytes === 0 ? undefined : bytes,
    });
  }
}

/** The route's pattern. The path itself may contain personal data, and the query a secret. */
export function routePattern(request: Pick<FastifyRequest, 'routeOptions'>): string {
  return request.routeOptions.url ?? '(none)';
}

/** The metric label of a route: `ingest`, or else its section in the API description, so there are few values. */
function classifyRoute(method: string, route: string): string {
  if (route === API.ingest.send.path || route === API.otlp.send.path) return 'ingest';
  // Its requests last as long as a page is open.
  if (route === API.traces.watch.path) return 'live';
  const tag = TAGS.get(`${method} ${route}`) ?? 'pages';
  return tag.toLowerCase().replaceAll(' ', '_');
}
