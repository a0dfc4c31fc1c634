import type {
  FunctionArguments,
  EvaluateOptions,
  FunctionOutput,
  ReplaySource,
  RunOptions,
} from '@dacapo/tracer';

/** Names of the methods of `T`. */
export type MethodName<T> = {
  [K in keyof T]: T[K] extends (...args: never[]) => unknown ? K : never;
}[keyof T] &
  (string | symbol);

/** The arguments of a method; of an overloaded one, those of any of its first four signatures. */
export type MethodArguments<F> = FunctionArguments<F>;

/** The output of a method in a replay: a promise's value, or the list of values of a stream, generator or Observable. */
export type MethodOutput<F> = FunctionOutput<F>;

/** How a replay calls a method of a provider. */
export interface MethodReplayOptions<A extends unknown[] = unknown[]> {
  /**
   * Turns recorded arguments into today's. Runs before `rebuildArguments`, so it receives objects of classes as plain data;
   * objects that it creates are not changed. It makes calls replayable whose recording lacks something (a callback, an
   * `@Res()`), if it replaces what is missing.
   */
  adaptArgs?: ((args: unknown[], source: ReplaySource) => [...A] | Promise<[...A]>) | undefined;
  /** The former name of `adaptArgs`, which takes precedence. */
  adaptInput?: ((args: unknown[]) => unknown[] | Promise<unknown[]>) | undefined;
  /**
   * Restores the classes of recorded objects, and passes a handler's plain data through the pipes of its route. `false` passes
   * arguments as recorded; a call whose object had methods is then refused unless `adaptArgs` creates the object.
   * Default: true.
   */
  rebuildArguments?: boolean | undefined;
  /** Returns the `REQUEST` of request-scoped providers. Default: an object with empty `headers`, `params` and `query`. */
  request?: ((args: readonly unknown[], source: ReplaySource) => object) | undefined;
  /**
   * Sets up what a call needs around it, such as nestjs-cls, a unit of work or a tenant: calls `call` once and waits for it.
   * Request-scoped providers are created inside. An error that it throws is the error of the item.
   */
  around?: ((call: () => Promise<unknown>, source: ReplaySource) => unknown) | undefined;
}

export interface ServiceReplayOptions<A extends unknown[] = unknown[], R = unknown>
  extends RunOptions<A, R>, MethodReplayOptions<A> {
  /** Key of the recorded calls. Default: the key in the method's `@Traced`. */
  key?: string | undefined;
  adaptArgs?: MethodReplayOptions<A>['adaptArgs'];
}

export interface ServiceEvaluateOptions<A extends unknown[] = unknown[], R = unknown>
  extends EvaluateOptions<A, R>, MethodReplayOptions<A> {
  adaptArgs?: MethodReplayOptions<A>['adaptArgs'];
}

const METHOD_OPTIONS = {
  key: true,
  adaptArgs: true,
  adaptInput: true,
  rebuildArguments: true,
  request: true,
  around: true,
} satisfies Record<'key' | keyof MethodReplayOptions, true>;

/** Drops the options of this package, because the tracer refuses unknown options. */
export function pickTracerOptions<Options extends object>(
  options: Options,
): Omit<Options, keyof typeof METHOD_OPTIONS> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !(name in METHOD_OPTIONS))) as Omit<
    Options,
    keyof typeof METHOD_OPTIONS
  >;
}
