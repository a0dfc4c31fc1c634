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

/** Keeps on the class what a method of it is decorated with: a decorator above may put another function in its place. */
export function noteTraced(prototype: object, name: string | symbol, traced: TracedMethod): void {
  Reflect.defineMetadata(TRACED_METHOD, traced, prototype, name);
}

/**
 * What a method is decorated with, by its name and whatever decorators replaced its function. An override without `@Traced`
 * is not decorated.
 */
export function findTracedMethod(target: unknown, name: string | symbol): TracedMethod | undefined {
  let owner = target as object | null | undefined;
  while (owner !== null && owner !== undefined && !Object.hasOwn(owner, name))
    owner = Object.getPrototypeOf(owner) as object | null;
  if (owner === null || owner === undefined) return undefined;
  const own: unknown = Object.getOwnPropertyDescriptor(owner, name)?.value;
  return (
    tracedMethodOf(own) ?? (Reflect.getOwnMetadata(TRACED_METHOD, owner, name) as TracedMethod | undefined)
  );
}

/** Tells the tracer that calls of `fn` are recorded under `key` already. */
export function markTraced<F extends Method>(fn: F, key: string): F {
  return Object.defineProperty(fn, TRACED_KEY, { value: key });
}
