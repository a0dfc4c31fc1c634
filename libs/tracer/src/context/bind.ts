import { contextStorage, isInReplay, reenterFrame } from './context-storage.js';

const BOUND = Symbol.for('@dacapo/bound');

type AnyCallable = (...args: never[]) => unknown;

/** Runs a function in the kept context. */
export type ContextRunner = <R>(fn: () => R) => R;

/** Keeps the calling code's context, for code that is called from elsewhere. */
export function captureContext(): ContextRunner {
  const frame = contextStorage.getStore();
  const bound = frame?.isOver === true ? undefined : frame;
  return (fn) => {
    if (bound?.isOver === true && !isInReplay(bound)) return contextStorage.run(reenterFrame(bound), fn);
    if (contextStorage.getStore() === frame) return fn();
    return frame === undefined ? contextStorage.exit(fn) : contextStorage.run(frame, fn);
  };
}

/**
 * Binds a function to the current context: it runs in the context where `bind` was called. For a callback that a
 * library calls in another context, such as that of a connection or an emitter.
 *
 * Bound outside of spans and requests, such as in a constructor, its calls are separate traces. Bound inside a request, its calls
 * keep the session of that request after its end, each in a separate trace. It keeps only Dacapo's
 * context; `AsyncResource.bind` of `node:async_hooks` keeps those of all libraries, including Dacapo's. `this`, arguments,
 * result, name and length stay unchanged.
 */
export function bind<F extends AnyCallable>(fn: F): F {
  const enter = captureContext();
  return new Proxy(fn, {
    apply: (target, self, args): unknown => enter(() => Reflect.apply(target, self, args) as unknown),
    get: (target, name, receiver): unknown => (name === BOUND ? true : Reflect.get(target, name, receiver)),
  });
}

/** Whether a function was bound, by any copy of this package. */
export function isBound(fn: unknown): boolean {
  return typeof fn === 'function' && (fn as { [BOUND]?: boolean })[BOUND] === true;
}
