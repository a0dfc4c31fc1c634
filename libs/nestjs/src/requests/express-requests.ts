import { IncomingMessage, type ServerResponse } from 'node:http';
import type { HttpServer } from '@nestjs/common';
import { likeMethod } from '../tracing/proxy-method.js';
import type { Method } from '../tracing/traced-method.js';
import { type HttpExchange, type HttpRequest, httpRequestOf } from './http-request.js';

/** A layer of Express 4 and 5: a middleware, or a route with layers of its own. */
interface Layer {
  handle: Method;
  readonly route?: { readonly stack: Layer[] } | undefined;
}

interface ExpressLike {
  /** The prototype that Express 4 and 5 give to the requests that come in. */
  readonly request?: unknown;
  /** Where each request comes in: from a server, from an application that this one is mounted in, or from a test. */
  handle?: (request: IncomingMessage, response: ServerResponse, ...rest: unknown[]) => unknown;
  /** Express 5 */
  readonly router?: { readonly stack?: Layer[] };
  /** Express 4 */
  readonly _router?: { readonly stack?: Layer[] };
  readonly lazyrouter?: () => void;
}

const entering = new WeakSet<Layer>();

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
  const handle = express.request instanceof IncomingMessage ? express.handle?.bind(express) : undefined;
  if (handle === undefined) {
    adapter.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
      const opened = open({ request, response, rawRequest: request, rawResponse: response });
      if (opened?.span === undefined) next();
      else opened.span.run(next);
    });
    return;
  }
  express.handle = (request, response, ...rest) => {
    const opened = open({ request, response, rawRequest: request, rawResponse: response });
    if (opened?.span === undefined) return handle(request, response, ...rest);
    return opened.span.run(handle, request, response, ...rest);
  };
}

/**
 * Has every middleware, handler and error handler run in the context of its request: the one before may have called `next`
 * in that of another. For when all are there.
 */
export function enterExpressRequests(adapter: HttpServer): void {
  for (const layer of stackOf(adapter)) {
    if (entering.has(layer)) continue;
    entering.add(layer);
    if (layer.route === undefined) layer.handle = enterFirst(layer.handle);
    else for (const step of layer.route.stack) step.handle = enterFirst(step.handle);
  }
}

function stackOf(adapter: HttpServer): Layer[] {
  const express = adapter.getInstance() as ExpressLike;
  // Express 4 throws when it is asked for `router`.
  const router = express.lazyrouter === undefined ? express.router : express._router;
  return router?.stack ?? [];
}

/**
 * By its length Express tells an error handler from others. Plain functions without closures in them: a Proxy, or variables
 * that a closure holds, would cost each layer of each request more.
 */
function enterFirst(handle: Method): Method {
  const entering =
    handle.length > 3
      ? function (this: unknown, error: unknown, request: object, response: unknown, next: unknown) {
          const kept = httpRequestOf(request);
          if (kept === undefined || kept.isEntered) return handle.call(this, error, request, response, next);
          return kept.enter(handle, error, request, response, next);
        }
      : function (this: unknown, request: object, response: unknown, next: unknown) {
          const kept = httpRequestOf(request);
          if (kept === undefined) return handle.call(this, request, response, next);
          if (kept.isEntered) return kept.handledBy(handle.call(this, request, response, next));
          return kept.handledBy(kept.enter(handle, request, response, next));
        };
  return likeMethod(entering as Method, handle);
}
