import type { ArgumentsOf, OutputOf } from '@dacapo/tracer';

/** Names of the methods of `T`. */
export type MethodName<T> = {
  [K in keyof T]: T[K] extends (...args: never[]) => unknown ? K : never;
}[keyof T] &
  (string | symbol);

/** What a method may be called with; of an overloaded one, what any of its first four signatures takes. */
export type MethodArguments<F> = ArgumentsOf<F>;

/**
 * What a replay gets of a method: a promise's value; of a stream, a generator or an Observable the list of what it gives.
 */
export type MethodOutput<F> = OutputOf<F>;
