import { IncomingMessage, type ServerResponse } from 'node:http';
import type { HttpServer } from '@nestjs/common';
import { likeMethod } from '../tracing/proxy-method.js';
import type { Method } from '../tracing/traced-method.js';
import { emitResponseInRequest, emitResponsesInRequest } from './emit-in-request.js';
import { enteredRequest, type HttpExchange, type HttpRequest, storedRequest } from './http-request.js';

/** A layer of Express 4 and 5: a middleware, a router, or a route with layers of its own. */
interface Layer {
  handle: Method & Partial<RouterLike>;
  readonly route?: RouterLike | undefined;
}

interface RouterLike {
  readonly stack: readonly Layer[];
  /** Callbacks by parameter name. A route has none. */
  readonly params?: Record<string, Method[]>;
}

interface ExpressLike {
  /** The prototype that Express 4 and 5 give to incoming requests. */
  readonly request?: unknown;
  /** The prototype of their responses. */
  readonly response?: unknown;
  /** Handles a request from a server, from an application that this one is mounted in, or from a test. */
  handle?: (request: IncomingMessage, response: ServerResponse, ...rest: unknown[]) => unknown;
  /** Express 5 */
  readonly router?: RouterLike;
  /** Express 4 */
  readonly _router?: RouterLike;
  readonly lazyrouter?: () => void;
  use?: (...args: unknown[]) => unknown;
}

const entering = new WeakSet<object>();

/** The applications that each application mounted. No layer leads to them. */
const mounted = new WeakMap<object, ExpressLike[]>();

/**
 * Opens the context of each request before the application's own middleware, even middleware that `app.use` added earlier.
 *
 * This runs before Express, which changes the prototypes of requests and responses: each then has a hidden class of its
 * own, and reading, adding properties and listening cost more.
 */
export function openExpressRequests(
  adapter: HttpServer,
  open: (exchange: HttpExchange) => HttpRequest | undefined,
): void {
  const express = adapter.getInstance() as ExpressLike;
  noteMounts(express);
  const handle = express.request instanceof IncomingMessage ? express.handle?.bind(express) : undefined;
  if (handle === undefined) {
    adapter.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
      const opened = open({ request, response, rawRequest: request, rawResponse: response });
      if (opened === undefined) next();
      else {
        emitResponseInRequest(response);
        opened.enter(next);
      }
    });
    return;
  }
  emitResponsesInRequest(express.response as ServerResponse);
  express.handle = (request, response, ...rest) => {
    const opened = open({ request, response, rawRequest: request, rawResponse: response });
    if (opened === undefined) return handle(request, response, ...rest);
    return opened.enter(handle, request, response, ...rest);
  };
}

/**
 * Makes every middleware, handler, parameter callback and error handler run in the context of its request, including those
 * of routers and mounted applications: the step before may have called `next` in the context of another request. Call it
 * when all of them are registered.
 */
export function enterExpressRequests(adapter: HttpServer): void {
  const express = adapter.getInstance() as ExpressLike;
  for (const application of [express, ...(mounted.get(express) ?? [])]) {
    // In Express 4, reading `router` throws.
    enterRouter((application.lazyrouter === undefined ? application.router : application._router) ?? {});
  }
}

function enterRouter({ stack = [], params = {} }: Partial<RouterLike>): void {
  for (const callbacks of Object.values(params)) {
    if (entering.has(callbacks)) continue;
    entering.add(callbacks);
    callbacks.splice(0, callbacks.length, ...callbacks.map(enterParameter));
  }
  for (const layer of stack) {
    if (entering.has(layer)) continue;
    entering.add(layer);
    enterRouter(layer.route ?? layer.handle);
    // The handle of a route only calls its layers.
    if (layer.route === undefined) layer.handle = enterMiddleware(layer.handle);
  }
}

function noteMounts(express: ExpressLike): void {
  const applications: ExpressLike[] = [];
  mounted.set(express, applications);
  const { use } = express;
  // A test may not have created its Express application yet.
  if (typeof use !== 'function') return;
  express.use = function (this: ExpressLike, ...args) {
    const functions: unknown[] = args.flat(Infinity);
    applications.push(...functions.filter(isApplication));
    return Reflect.apply(use, this, args);
  };
}

function isApplication(args: unknown): args is ExpressLike {
  return typeof args === 'function' && 'handle' in args && 'set' in args;
}

function enterParameter(callback: Method): Method {
  const entering: Method = function (this: unknown, request: unknown, ...rest) {
    const stored = storedRequest(request as object);
    if (stored === undefined || stored.isEntered) return callback.call(this, request, ...rest);
    return stored.enter(callback.bind(this), request, ...rest);
  };
  return likeMethod(entering, callback);
}

/**
 * Returns the middleware, handler or error handler with the contexts of its request entered. Express recognizes an error
 * handler by its length.
 *
 * These are plain functions without inner closures: a Proxy or captured variables would cost each layer of each request more.
 */
function enterMiddleware(handle: Method): Method {
  const entering =
    handle.length > 3
      ? function (this: unknown, error: unknown, request: object, response: unknown, next: unknown) {
          const stored =
            enteredRequest('rawRequest', request) === undefined ? storedRequest(request) : undefined;
          if (stored === undefined) return handle.call(this, error, request, response, next);
          return stored.enter(handle, error, request, response, next);
        }
      : function (this: unknown, request: object, response: unknown, next: unknown) {
          const entered = enteredRequest('rawRequest', request);
          if (entered !== undefined) return entered.trackHandler(handle.call(this, request, response, next));
          const stored = storedRequest(request);
          if (stored === undefined) return handle.call(this, request, response, next);
          return stored.trackHandler(stored.enter(handle, request, response, next));
        };
  return likeMethod(entering as Method, handle);
}
