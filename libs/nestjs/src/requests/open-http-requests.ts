import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpServer } from '@nestjs/common';
import type { Tracer } from '@dacapo/tracer';
import type { DeferredSpan } from '@dacapo/tracer/internal';
import { type HttpExchange, HttpRequest } from './http-request.js';
import type { RequestOptions } from './request-options.js';
import { type FastifyRoute, keepInConfig } from './routed-handler.js';

const ADAPTERS = Symbol.for('@dacapo/nestjs/http-adapters');

const globals = globalThis as unknown as Record<symbol, WeakMap<object, RequestTracing> | undefined>;
const adapters = (globals[ADAPTERS] ??= new WeakMap());

/** On the request itself: a WeakMap would cost more than all the rest. */
const SPAN = Symbol('span of the request');

export interface RequestTracing {
  readonly tracer: Tracer;
  readonly options: RequestOptions;
  /** Gives way to another module of the same application. */
  readonly isFallback: boolean;
}

interface FastifyLike {
  addHook(name: 'onRequest' | 'preValidation', hook: FastifyHook): unknown;
  addHook(name: 'onRoute', hook: (route: FastifyRoute) => void): unknown;
}
type FastifyHook = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;
interface FastifyRequest {
  readonly raw: IncomingMessage & { [SPAN]?: DeferredSpan };
}
interface FastifyReply {
  readonly raw: ServerResponse;
}

/**
 * Opens a frame for each request of an application before Nest sees it, so that middleware, guards, pipes, interceptors,
 * handlers, streams and exception filters all run inside. Once for each application.
 */
export function openHttpRequests(adapter: HttpServer, tracing: RequestTracing): void {
  const present = adapters.get(adapter);
  if (present !== undefined && !present.isFallback) return;
  adapters.set(adapter, tracing);
  if (present !== undefined || tracing.options.requests === false) return;
  const open = (exchange: HttpExchange): DeferredSpan | undefined => {
    const { tracer, options } = adapters.get(adapter) ?? tracing;
    if (options.requests === false) return undefined;
    const request = new HttpRequest(exchange, options);
    const span = tracer.defer(request);
    return span && request.endsWithResponse(span);
  };
  if (adapter.getType() === 'fastify') hookFastify(adapter.getInstance() as FastifyLike, open);
  else useMiddleware(adapter, open);
}

type OpenRequest = (exchange: HttpExchange) => DeferredSpan | undefined;

function useMiddleware(adapter: HttpServer, open: OpenRequest): void {
  adapter.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
    const span = open({ request, response, rawRequest: request, rawResponse: response });
    if (span === undefined) next();
    else span.run(next);
  });
}

/** Fastify reads a body in the events of the socket, outside the frame: it is entered again after that. */
function hookFastify(fastify: FastifyLike, open: OpenRequest): void {
  fastify.addHook('onRoute', keepInConfig);
  fastify.addHook('onRequest', (request, response, done) => {
    const span = open({ request, response, rawRequest: request.raw, rawResponse: response.raw });
    if (span === undefined) {
      done();
      return;
    }
    request.raw[SPAN] = span;
    span.run(done);
  });
  fastify.addHook('preValidation', (request, _reply, done) => {
    const span = request.raw[SPAN];
    if (span === undefined || span.isCurrent) done();
    else span.run(done);
  });
}
