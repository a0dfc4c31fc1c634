import { ROUTES } from '@dacapo/protocol';
import { API, type Route } from '@dacapo/protocol/api';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CollectorLogger } from '../logger.js';
import { ServiceMetrics } from '../telemetry/service-metrics.js';
import { findCaller } from './access/caller.decorator.js';
import { countReceivedBytes } from './body/read-body.js';

/** The status of a request whose client left before it had its answer; no client ever sees it. */
const LEFT = 499;

const TAGS = new Map(
  Object.values(API)
    .flatMap((routes) => Object.values<Route>(routes))
    .map(({ method, path, tag }) => [`${method} ${path}`, tag]),
);

const PROBES: readonly string[] = [ROUTES.live, ROUTES.ready];

/** Counts each request, and has a line of the log for it: what was asked and what came of it, nothing of what was in it. */
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
      ...{ request_id: id, method, route, status, duration_ms: Math.round(durationMs * 10) / 10 },
      account_id: caller?.accountId,
      key_id: caller?.keyId,
      body_bytes: bytes === 0 ? undefined : bytes,
    });
  }
}

/** Its pattern: the path itself may name what is somebody's, and its query may hold a secret. */
export function routePattern(request: Pick<FastifyRequest, 'routeOptions'>): string {
  return request.routeOptions.url ?? '(none)';
}

/** A few for good: what the description of the API groups by, ingest apart. */
function classifyRoute(method: string, route: string): string {
  if (route === ROUTES.ingest) return 'ingest';
  const tag = TAGS.get(`${method} ${route}`) ?? 'pages';
  return tag.toLowerCase().replaceAll(' ', '_');
}
