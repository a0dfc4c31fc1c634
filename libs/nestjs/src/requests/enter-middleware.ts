import { likeMethod } from '../tracing/proxy-method.js';
import type { Method } from '../tracing/traced-method.js';
import { enteredRequest, httpRequestOf } from './http-request.js';

/**
 * The same middleware, handler or error handler in the context of its request.
 *
 * By its length Express tells an error handler from others. Plain functions without closures in them: a Proxy, or variables
 * that a closure holds, would cost each layer of each request more.
 */
export function enterMiddleware(handle: Method): Method {
  const entering =
    handle.length > 3
      ? function (this: unknown, error: unknown, request: object, response: unknown, next: unknown) {
          const kept =
            enteredRequest('rawRequest', request) === undefined ? httpRequestOf(request) : undefined;
          if (kept === undefined) return handle.call(this, error, request, response, next);
          return kept.enter(handle, error, request, response, next);
        }
      : function (this: unknown, request: object, response: unknown, next: unknown) {
          const entered = enteredRequest('rawRequest', request);
          if (entered !== undefined) return entered.handledBy(handle.call(this, request, response, next));
          const kept = httpRequestOf(request);
          if (kept === undefined) return handle.call(this, request, response, next);
          return kept.handledBy(kept.enter(handle, request, response, next));
        };
  return likeMethod(entering as Method, handle);
}
