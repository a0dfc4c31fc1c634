import type { TracedOptions } from './traced-options.js';

const TRACED_METHOD = Symbol.for('@dacapo/nestjs/traced-method');
const TRACED_KEY = Symbol.for('@dacapo/traced');

export type Method = (...args: unknown[]) => unknown;

/** What `@Traced` stored about a method. */
export interface TracedMethod {
  readonly key: string;
  readonly options: TracedOptions;
  readonly tracerName: string;
}

/** The value of `property` on a decorated method; `undefined` for the method's own properties. */
export function readTracedProperty(method: TracedMethod, property: string | symbol): unknown {
  if (property === TRACED_METHOD) return method;
  return property === TRACED_KEY ? method.key : undefined;
}

/** Reads from a function how any copy of this package decorated it. */
export function readTracedMethod(fn: unknown): TracedMethod | undefined {
  return typeof fn === 'function' ? (fn as { [TRACED_METHOD]?: TracedMethod })[TRACED_METHOD] : undefined;
}

/** Stores the decoration on the class: another decorator may replace the function. */
export function storeTracedMethod(prototype: object, name: string | symbol, traced: TracedMethod): void {
  Reflect.defineMetadata(TRACED_METHOD, traced, prototype, name);
}

/**
 * How a method is decorated, looked up by its name, even if other decorators replaced its function. An override without
 * `@Traced` is not decorated.
 */
export function findTracedMethod(target: unknown, name: string | symbol): TracedMethod | undefined {
  let owner = target as object | null | undefined;
  while (owner !== null && owner !== undefined && !Object.hasOwn(owner, name))
    owner = Object.getPrototypeOf(owner) as object | null;
  if (owner === null || owner === undefined) return undefined;
  const own: unknown = Object.getOwnPropertyDescriptor(owner, name)?.value;
  return (
    readTracedMethod(own) ?? (Reflect.getOwnMetadata(TRACED_METHOD, owner, name) as TracedMethod | undefined)
  );
}

/** Marks `fn` as recorded under `key`, so that the tracer does not record its calls again. */
export function markTraced<F extends Method>(fn: F, key: string): F {
  return Object.defineProperty(fn, TRACED_KEY, { value: key });
}
