import { IncomingMessage, type ServerResponse } from 'node:http';
import type { HttpServer } from '@nestjs/common';
import { likeMethod } from '../tracing/proxy-method.js';
import type { Method } from '../tracing/traced-method.js';
import { enterMiddleware } from './enter-middleware.js';
import {
  emitResponseInRequest,
  emitResponsesInRequest,
  type HttpExchange,
  type HttpRequest,
  httpRequestOf,
} from './http-request.js';

/** A layer of Express 4 and 5: a middleware, a router, or a route with layers of its own. */
interface Layer {
  handle: Method & Partial<RouterLike>;
  readonly route?: RouterLike | undefined;
}

interface RouterLike {
  readonly stack: readonly Layer[];
  /** By the name of the parameter. A route has none. */
  readonly params?: Record<string, Method[]>;
}

interface ExpressLike {
  /** The prototype that Express 4 and 5 give to the requests that come in. */
  readonly request?: unknown;
  /** And to their responses. */
  readonly response?: unknown;
  /** Where each request comes in: from a server, from an application that this one is mounted in, or from a test. */
  handle?: (request: IncomingMessage, response: ServerResponse, ...rest: unknown[]) => unknown;
  /** Express 5 */
  readonly router?: RouterLike;
  /** Express 4 */
  readonly _router?: RouterLike;
  readonly lazyrouter?: () => void;
  use?: (...given: unknown[]) => unknown;
}

const entering = new WeakSet<object>();

/** The applications that were mounted in one since its requests are opened: no layer leads to them. */
const mounted = new WeakMap<object, ExpressLike[]>();

/**
 * Opens the context of each request before anything of the application sees it, also what `app.use` added before.
 *
 * Before Express, that is, which gives requests and responses other prototypes: from there on each of them has a hidden class
 * of its own, and what is read of it, added to it or listened for costs more than it did before.
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
      if (opened?.span === undefined) next();
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
    if (opened?.span === undefined) return handle(request, response, ...rest);
    return opened.enter(handle, request, response, ...rest);
  };
}

/**
 * Has every middleware, handler, parameter callback and error handler run in the context of its request, those of routers and
 * of mounted applications too: the one before may have called `next` in that of another. For when all are there.
 */
export function enterExpressRequests(adapter: HttpServer): void {
  const express = adapter.getInstance() as ExpressLike;
  for (const application of [express, ...(mounted.get(express) ?? [])]) {
    // Express 4 throws when it is asked for `router`.
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

/** Notes the applications that this one mounts. */
function noteMounts(express: ExpressLike): void {
  const applications: ExpressLike[] = [];
  mounted.set(express, applications);
  const { use } = express;
  // Without an application, as in a test that has not made one yet, there is nothing to mount in.
  if (typeof use !== 'function') return;
  express.use = function (this: ExpressLike, ...given) {
    const functions: unknown[] = given.flat(Infinity);
    applications.push(...functions.filter(isApplication));
    return Reflect.apply(use, this, given);
  };
}

function isApplication(given: unknown): given is ExpressLike {
  return typeof given === 'function' && 'handle' in given && 'set' in given;
}

function enterParameter(callback: Method): Method {
  const entering: Method = function (this: unknown, request: unknown, ...rest) {
    const kept = httpRequestOf(request as object);
    if (kept === undefined || kept.isEntered) return callback.call(this, request, ...rest);
    return kept.enter(callback.bind(this), request, ...rest);
  };
  return likeMethod(entering, callback);
}
