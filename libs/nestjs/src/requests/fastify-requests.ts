import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpServer } from '@nestjs/common';
import { likeMethod } from '../tracing/proxy-method.js';
import type { Method } from '../tracing/traced-method.js';
import type { ClsContexts } from './cls-contexts.js';
import { emitResponseInRequest } from './emit-in-request.js';
import { type HttpExchange, type HttpRequest, storedRequest } from './http-request.js';

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

/** Hooks of a request. The request is the first argument, and the callback, if there is one, the last. */
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
 * Opens the context of each request, and enters it again for each hook and for the handler, because the hook before may have
 * continued in the context of another request. Plugins inherit `addHook` from the instance, so their hooks are included.
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
    route.handler = enterHandler(route.handler);
    for (const name of REQUEST_HOOKS) {
      const hooks = route[name];
      if (Array.isArray(hooks)) route[name] = hooks.map(enterHook);
      else if (hooks !== undefined) route[name] = enterHook(hooks);
    }
  });
  addHook('onRequest', (request: FastifyRequest, response: FastifyReply, done: () => void) => {
    const opened = open({ request, response, rawRequest: request.raw, rawResponse: response.raw });
    if (opened === undefined) done();
    else {
      emitResponseInRequest(response.raw);
      opened.enter(done);
    }
  });
  // Fastify reads the body in socket events, outside the context.
  addHook('preValidation', (request: FastifyRequest, _reply: unknown, done: () => void) => {
    const stored = storedRequest(request.raw);
    if (stored === undefined || stored.isEntered) done();
    else stored.enter(done);
  });
  fastify.addHook = function (this: FastifyLike, name, hook) {
    return original.call(this, name, REQUEST_HOOKS.includes(name) ? enterHook(hook) : hook);
  };
}

/** Middleware runs before the request is opened, and after middleware that may have continued in another request's context. */
function keepClsInMiddleware(adapter: HttpServer, cls: ClsContexts): void {
  const enter = (value: unknown): unknown => {
    if (typeof value !== 'function') return value;
    const entering: Method = function (this: unknown, request: unknown, ...rest) {
      return cls.run(request as object, true, () => (value as Method).call(this, request, ...rest));
    };
    return likeMethod(entering, value as Method);
  };
  const { use, createMiddlewareFactory } = adapter as unknown as Record<string, Method>;
  Object.assign(adapter, {
    use: (...value: unknown[]) => use?.apply(adapter, value.map(enter)),
    async createMiddlewareFactory(...value: unknown[]): Promise<Method> {
      const create = (await createMiddlewareFactory?.apply(adapter, value)) as Method;
      return (path, callback) => create(path, enter(callback));
    },
  });
}

/** Returns the hook, with itself and its callback running in the contexts of the request. */
function enterHook(hook: unknown): unknown {
  // Fastify rejects it with its own message.
  if (typeof hook !== 'function') return hook;
  const original = hook as Method;
  const entering: Method = function (this: unknown, request: unknown, ...rest) {
    const stored = storedRequest((request as FastifyRequest).raw);
    if (stored === undefined) return original.call(this, request, ...rest);
    const done = rest.at(-1);
    if (typeof done === 'function')
      rest[rest.length - 1] = (...passed: unknown[]): unknown =>
        stored.isEntered ? (done as Method)(...passed) : stored.enter(done as Method, ...passed);
    if (stored.isEntered) return original.call(this, request, ...rest);
    return stored.enter(original.bind(this), request, ...rest);
  };
  // Fastify checks at setup whether an async hook has a callback, by the function's prototype and length.
  Object.setPrototypeOf(entering, Object.getPrototypeOf(original) as object);
  return likeMethod(entering, original);
}

function enterHandler(handler: Method): Method {
  return function (this: unknown, request: unknown, reply: unknown) {
    const stored = storedRequest((request as FastifyRequest).raw);
    if (stored === undefined) return handler.call(this, request, reply);
    if (stored.isEntered) return stored.trackHandler(handler.call(this, request, reply));
    return stored.trackHandler(stored.enter(handler.bind(this), request, reply));
  };
}
