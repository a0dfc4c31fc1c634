import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpServer } from '@nestjs/common';
import type { Method } from '../tracing/traced-method.js';
import { type HttpExchange, type HttpRequest, httpRequestOf } from './http-request.js';

interface FastifyLike {
  addHook(name: 'onRequest' | 'preValidation', hook: FastifyHook): unknown;
  addHook(name: 'onRoute', hook: (route: { handler: Method }) => void): unknown;
}
type FastifyHook = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;
interface FastifyRequest {
  readonly raw: IncomingMessage;
}
interface FastifyReply {
  readonly raw: ServerResponse;
}

/**
 * Opens the context of each request, and enters it again for its handler: a hook before may have gone on in that of
 * another.
 */
export function openFastifyRequests(
  adapter: HttpServer,
  open: (exchange: HttpExchange) => HttpRequest | undefined,
): void {
  const fastify = adapter.getInstance() as FastifyLike;
  fastify.addHook('onRoute', (route) => {
    route.handler = enterFirst(route.handler);
  });
  fastify.addHook('onRequest', (request, response, done) => {
    const opened = open({ request, response, rawRequest: request.raw, rawResponse: response.raw });
    if (opened?.span === undefined) done();
    else opened.span.run(done);
  });
  // Fastify reads a body in the events of the socket, outside the context.
  fastify.addHook('preValidation', (request, _reply, done) => {
    const span = httpRequestOf(request.raw)?.span;
    if (span === undefined || span.isEntered) done();
    else span.run(done);
  });
}

function enterFirst(handler: Method): Method {
  return function (this: unknown, request: unknown, reply: unknown) {
    const kept = httpRequestOf((request as FastifyRequest).raw);
    if (kept === undefined) return handler.call(this, request, reply);
    if (kept.isEntered) return kept.handledBy(handler.call(this, request, reply));
    return kept.handledBy(kept.enter(handler.bind(this), request, reply));
  };
}
