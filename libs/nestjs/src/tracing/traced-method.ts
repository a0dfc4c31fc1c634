import type { TracedOptions } from './traced-options.js';

const TRACED_METHOD = Symbol.for('@dacapo/nestjs/traced-method');
const TRACED_KEY = Symbol.for('@dacapo/traced');

export type Method = (...args: unknown[]) => unknown;

/** What a decorated method says of itself, read on the function. */
export interface TracedMethod {
  readonly key: string;
  readonly options: TracedOptions;
  readonly tracerName: string;
}

/** What reading `property` on a decorated method gives; `undefined` for a property of the method's own. */
export function readTracedProperty(method: TracedMethod, property: string | symbol): unknown {
  if (property === TRACED_METHOD) return method;
  return property === TRACED_KEY ? method.key : undefined;
}

/** What a function was decorated with, by whichever copy of this package; `undefined` if it was not. */
export function tracedMethodOf(fn: unknown): TracedMethod | undefined {
  return typeof fn === 'function' ? (fn as { [TRACED_METHOD]?: TracedMethod })[TRACED_METHOD] : undefined;
}

/** Tells the tracer that calls of `fn` are recorded under `key` already. */
export function markTraced<F extends Method>(fn: F, key: string): F {
  return Object.defineProperty(fn, TRACED_KEY, { value: key });
}
