import type { HttpServer } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import type { Tracer } from '@dacapo/tracer';
import { ClsContexts } from './cls-contexts.js';
import { enrichRoutes } from './enrich-requests.js';
import { enterExpressRequests, openExpressRequests } from './express-requests.js';
import { openFastifyRequests } from './fastify-requests.js';
import { type HttpExchange, HttpRequest } from './http-request.js';
import type { RequestOptions } from './request-options.js';

const ADAPTERS = Symbol.for('@dacapo/nestjs/http-adapters');

/** Who traces the requests of an application; found once, not for each request. */
interface OpenedAdapter {
  tracing: RequestTracing;
}

const globals = globalThis as unknown as Record<symbol, WeakMap<object, OpenedAdapter> | undefined>;
const adapters = (globals[ADAPTERS] ??= new WeakMap());

export interface RequestTracing {
  readonly tracer: Tracer;
  readonly options: RequestOptions;
  /** Gives way to another module of the same application. */
  readonly isFallback: boolean;
}

/**
 * Opens a frame for each request of an application before Nest sees it, so that middleware, guards, pipes, interceptors,
 * handlers, streams and exception filters all run inside. Once for each application.
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

/** Keeps the steps of requests in the context of theirs, for when all middleware and routes are there. */
export function enterHttpRequests(adapter: HttpServer): void {
  if (adapters.has(adapter) && adapter.getType() !== 'fastify') enterExpressRequests(adapter);
}
