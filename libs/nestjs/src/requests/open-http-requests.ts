import type { HttpServer } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import type { Tracer } from '@dacapo/tracer';
import { ClsContexts } from './cls-contexts.js';
import { enrichRoutes } from './enrich-requests.js';
import { enterExpressRequests, openExpressRequests } from './express-requests.js';
import { openFastifyRequests } from './fastify-requests.js';
import { type HttpExchange, HttpRequest } from './http-request.js';
import type { RequestOptions } from '../request-options.js';

const ADAPTERS = Symbol.for('@dacapo/nestjs/http-adapters');

interface OpenedAdapter {
  /** Looked up once, not per request. */
  tracing: RequestTracing;
}

const globals = globalThis as unknown as Record<symbol, WeakMap<object, OpenedAdapter> | undefined>;
const adapters = (globals[ADAPTERS] ??= new WeakMap());

export interface RequestTracing {
  readonly tracer: Tracer;
  readonly options: RequestOptions;
  /** Another module of the same application replaces it. */
  readonly isFallback: boolean;
}

/**
 * Opens the context of each request before Nest sees the request, so that middleware, guards, pipes, interceptors, handlers,
 * streams and exception filters all run inside. Repeated calls for one application change at most who traces.
 */
export function openHttpRequests(
  adapter: HttpServer,
  tracing: RequestTracing,
  modules: ModulesContainer,
): void {
  const present = adapters.get(adapter);
  if (present !== undefined) {
    if (present.tracing.isFallback) present.tracing = tracing;
    return;
  }
  const opened: OpenedAdapter = { tracing };
  adapters.set(adapter, opened);
  if (tracing.options.requests === false) return;
  const cls = ClsContexts.find(modules);
  const open = (exchange: HttpExchange): HttpRequest | undefined => {
    const { tracer, options } = opened.tracing;
    return HttpRequest.open(exchange, { tracer, options, cls });
  };
  enrichRoutes(adapter, () => opened.tracing.options.enrich !== undefined);
  if (adapter.getType() === 'fastify') openFastifyRequests(adapter, open, cls);
  else openExpressRequests(adapter, open);
}

/** Makes the steps of each request run in its context. Call it when all middleware and routes are registered. */
export function enterHttpRequests(adapter: HttpServer): void {
  if (adapters.has(adapter) && adapter.getType() !== 'fastify') enterExpressRequests(adapter);
}
