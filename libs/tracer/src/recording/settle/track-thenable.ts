import type { ActiveSpan } from '../active-span.js';
import { isThenable, type Thenable } from './result-kinds.js';

type Callback = (value: unknown) => unknown;

/**
 * Follows a thenable that is more than a plain promise: an SDK's promise with methods, a lazy query.
 *
 * It is never called on our own account, since that alone may start its work. The span ends when the caller's
 * `then`, or a promise that one of its other methods returned, settles; the first one wins.
 */
export function trackThenable(span: ActiveSpan, target: Thenable): object {
  const fail = (error: unknown): never => {
    span.fail(error);
    throw error;
  };
  const observe = (settled: unknown): unknown => {
    span.succeed(settled);
    return settled;
  };
  const then = (onFulfilled?: Callback | null, onRejected?: Callback | null): unknown =>
    target.then(
      typeof onFulfilled === 'function' ? (value: unknown) => onFulfilled(observe(value)) : observe,
      typeof onRejected === 'function'
        ? (error: unknown) => {
            span.fail(error);
            return onRejected(error);
          }
        : fail,
    );
  const proxy: object = new Proxy(target, {
    get(object, name) {
      if (name === 'then') return then;
      if (name === 'catch') return (onRejected?: Callback) => then(undefined, onRejected);
      if (name === 'finally') return (onFinally?: () => unknown) => finallyOf(then, onFinally);
      const member: unknown = Reflect.get(object, name, object);
      if (typeof member !== 'function' || name === 'constructor') return member;
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(member, object, args);
        if (result === object) return proxy;
        return typeof result === 'object' && result !== null && isThenable(result)
          ? trackThenable(span, result)
          : result;
      };
    },
  });
  return proxy;
}

function finallyOf(
  then: (onFulfilled: Callback, onRejected: Callback) => unknown,
  onFinally?: () => unknown,
): unknown {
  return then(
    async (value) => {
      await onFinally?.();
      return value;
    },
    async (error) => {
      await onFinally?.();
      throw error;
    },
  );
}
