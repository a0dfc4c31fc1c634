import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpServer } from '@nestjs/common';
import type { ClsContexts } from './cls-contexts.js';
import { likeMethod } from '../tracing/proxy-method.js';
import type { Method } from '../tracing/traced-method.js';
import { emitResponseInRequest, type HttpExchange, type HttpRequest, httpRequestOf } from './http-request.js';

interface FastifyLike {
  addHook: (this: FastifyLike, name: string, hook: unknown) => unknown;
}
type RouteOptions = { handler: Method } & Record<string, unknown>;
interface FastifyRequest {
  readonly raw: IncomingMessage;
}
interface FastifyReply {
  readonly raw: ServerResponse;
}

/** The hooks that are called for a request. Each gets the request first, and those with a callback get it last. */
const REQUEST_HOOKS: readonly string[] = [
  'onRequest',
  'preParsing',
  'preValidation',
  'preHandler',
  'preSerialization',
  'onSend',
  'onResponse',
  'onError',
  'onTimeout',
  'onRequestAbort',
];

/**
 * Opens the context of each request, and enters it again for each hook and for its handler: the hook before may have gone on in
 * that of another. Plugins get their `addHook` from the instance, so their hooks are included.
 */
export function openFastifyRequests(
  adapter: HttpServer,
  open: (exchange: HttpExchange) => HttpRequest | undefined,
  cls: ClsContexts | undefined,
): void {
  if (cls !== undefined) keepClsInMiddleware(adapter, cls);
  const fastify = adapter.getInstance() as FastifyLike;
  const original = fastify.addHook;
  const addHook = original.bind(fastify);
  addHook('onRoute', (route: RouteOptions) => {
    route.handler = enterFirst(route.handler);
    for (const name of REQUEST_HOOKS) {
      const hooks = route[name];
      if (Array.isArray(hooks)) route[name] = hooks.map(enterHook);
      else if (hooks !== undefined) route[name] = enterHook(hooks);
    }
  });
  addHook('onRequest', (request: FastifyRequest, response: FastifyReply, done: () => void) => {
    const opened = open({ request, response, rawRequest: request.raw, rawResponse: response.raw });
    if (opened?.span === undefined) done();
    else {
      emitResponseInRequest(response.raw);
      opened.enter(done);
    }
  });
  // Fastify reads a body in the events of the socket, outside the context.
  addHook('preValidation', (request: FastifyRequest, _reply: unknown, done: () => void) => {
    const kept = httpRequestOf(request.raw);
    if (kept === undefined || kept.isEntered) done();
    else kept.enter(done);
  });
  fastify.addHook = function (this: FastifyLike, name, hook) {
    return original.call(this, name, REQUEST_HOOKS.includes(name) ? enterHook(hook) : hook);
  };
}

/** Middleware runs before the request is opened. It may follow one that went on in the context of another request. */
function keepClsInMiddleware(adapter: HttpServer, cls: ClsContexts): void {
  const keep = (given: unknown): unknown => {
    if (typeof given !== 'function') return given;
    const keeping: Method = function (this: unknown, request: unknown, ...rest) {
      return cls.run(request as object, true, () => (given as Method).call(this, request, ...rest));
    };
    return likeMethod(keeping, given as Method);
  };
  const { use, createMiddlewareFactory } = adapter as unknown as Record<string, Method>;
  Object.assign(adapter, {
    use: (...given: unknown[]) => use?.apply(adapter, given.map(keep)),
    async createMiddlewareFactory(...given: unknown[]): Promise<Method> {
      const create = (await createMiddlewareFactory?.apply(adapter, given)) as Method;
      return (path, callback) => create(path, keep(callback));
    },
  });
}

/** The same hook inside the request; what it passes to its callback is handled there too. */
function enterHook(hook: unknown): unknown {
  // Fastify refuses it with a message of its own.
  if (typeof hook !== 'function') return hook;
  const original = hook as Method;
  const entering: Method = function (this: unknown, request: unknown, ...rest) {
    const kept = httpRequestOf((request as FastifyRequest).raw);
    if (kept === undefined) return original.call(this, request, ...rest);
    const done = rest.at(-1);
    if (typeof done === 'function')
      rest[rest.length - 1] = (...passed: unknown[]): unknown =>
        kept.isEntered ? (done as Method)(...passed) : kept.enter(done as Method, ...passed);
    if (kept.isEntered) return original.call(this, request, ...rest);
    return kept.enter(original.bind(this), request, ...rest);
  };
  // By these Fastify tells at setup that an async hook takes no callback.
  Object.setPrototypeOf(entering, Object.getPrototypeOf(original) as object);
  return likeMethod(entering, original);
}

function enterFirst(handler: Method): Method {
  return function (this: unknown, request: unknown, reply: unknown) {
    const kept = httpRequestOf((request as FastifyRequest).raw);
    if (kept === undefined) return handler.call(this, request, reply);
    if (kept.isEntered) return kept.handledBy(handler.call(this, request, reply));
    return kept.handledBy(kept.enter(handler.bind(this), request, reply));
  };
}
