import { AsyncLocalStorage } from 'node:async_hooks';
import type { ActiveSpan } from '../active-span.js';
import { withMembers } from './member-proxy.js';
import { hasMethod, isAsyncIterable, isCallable, isThenable, type Thenable } from './result-kinds.js';
import { followIteration } from './track-async-iterable.js';

type Callback = (value: unknown) => unknown;

/** Ends the span when a result is complete, and returns what replaces the result. */
type ObserveResult = (span: ActiveSpan, result: unknown) => unknown;

/**
 * Follows a thenable that is more than a plain promise: an SDK's promise with methods, a lazy query.
 *
 * The tracer never calls `then` itself, because that may start the work. Work that the caller's `then` starts runs inside the span; the
 * callbacks of `then` run in the caller's context. The span ends when the caller's `then`, or a promise from another method, settles;
 * the first one counts. If the result is a stream, it is followed too.
 */
export function trackThenable(span: ActiveSpan, target: Thenable, observeResult: ObserveResult): object {
  span.isSync = false;
  let followed: { readonly value: unknown; readonly observed: unknown } | undefined;
  const observe = (value: unknown): unknown => {
    if (followed === undefined || !Object.is(followed.value, value))
      followed = { value, observed: observeResult(span, value) };
    return followed.observed;
  };
  const fail = (error: unknown): never => {
    span.fail(error);
    throw error;
  };
  const then = (onFulfilled?: unknown, onRejected?: unknown): unknown => {
    const inCallersContext = AsyncLocalStorage.snapshot();
    const callbacks = [
      isCallable(onFulfilled) ? (value: unknown) => inCallersContext(onFulfilled, observe(value)) : observe,
      isCallable(onRejected)
        ? (error: unknown) => {
            span.fail(error);
            return inCallersContext(onRejected, error);
          }
        : fail,
    ];
    try {
      return span.run(() => Reflect.apply(target.then, target, callbacks));
    } catch (error) {
      return fail(error);
    }
  };
  return withMembers(target, {
    overrides: {
      then,
      ...(hasMethod(target, 'catch') && { catch: (onRejected) => then(undefined, onRejected) }),
      ...(hasMethod(target, 'finally') && { finally: (onFinally) => runFinally(then, onFinally) }),
      ...(isAsyncIterable(target) && { [Symbol.asyncIterator]: followIteration(span, target) }),
    },
    mapResult: (result) =>
      typeof result === 'object' && result !== null && isThenable(result)
        ? observeResult(span, result)
        : result,
  });
}

function runFinally(
  then: (onFulfilled: Callback, onRejected: Callback) => unknown,
  onFinally: unknown,
): unknown {
  const run = async (): Promise<void> => {
    if (isCallable(onFinally)) await onFinally();
  };
  return then(
    async (value) => {
      await run();
      return value;
    },
    async (error) => {
      await run();
      throw error;
    },
  );
}
