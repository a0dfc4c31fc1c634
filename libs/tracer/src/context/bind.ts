import { contextStorage, isInReplay, reenterFrame } from './context-storage.js';

const BOUND = Symbol.for('@dacapo/bound');

type AnyCallable = (...args: never[]) => unknown;

/** Runs a function in the context that was kept. */
export type ContextRunner = <R>(fn: () => R) => R;

/** Keeps the context of the code that calls this, for code that is called from somewhere else. */
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
 * The same function, which runs in the context where `bind` is called, wherever it is called from: for a callback that a
 * library calls in the context of someone else, such as a connection's or an emitter's.
 *
 * Bound outside any span and request, as in a constructor, its calls are traces of their own. Bound inside a request, its calls
 * keep the session of that request after the request has ended, each in a trace of its own. It keeps Dacapo's context
 * alone; `AsyncResource.bind` of `node:async_hooks` keeps those of all libraries, and Dacapo's with them. `this`, arguments,
 * result, name and length stay as they are.
 */
export function bind<F extends AnyCallable>(fn: F): F {
  const enter = captureContext();
  return new Proxy(fn, {
    apply: (target, self, args): unknown => enter(() => Reflect.apply(target, self, args) as unknown),
    get: (target, name, receiver): unknown => (name === BOUND ? true : Reflect.get(target, name, receiver)),
  });
}

/** Whether a function was bound, by whichever copy of this package. */
export function isBound(fn: unknown): boolean {
  return typeof fn === 'function' && (fn as { [BOUND]?: boolean })[BOUND] === true;
}
