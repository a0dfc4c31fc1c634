import type {
  FactoryProvider,
  InjectionToken,
  OptionalFactoryDependency,
  Provider,
  Type,
} from '@nestjs/common';
import { InvalidModuleOptionError } from './errors.js';

/** Exactly one of `useFactory`, `useClass` and `useExisting`, as in Nest's asynchronous modules. */
export interface AsyncOptions<T, F> {
  useFactory?: (...dependencies: never[]) => T | Promise<T>;
  /** Dependencies of `useFactory`. */
  inject?: (InjectionToken | OptionalFactoryDependency)[];
  useClass?: Type<F>;
  useExisting?: InjectionToken<F>;
}

export interface AsyncFactory<T> {
  readonly make: (...dependencies: unknown[]) => T | Promise<T>;
  /** The dependencies of `make`. */
  readonly inject: NonNullable<FactoryProvider['inject']>;
  /** Providers that `inject` needs. */
  readonly providers: readonly Provider[];
}

/**
 * Turns the options of a `forRootAsync` into one factory.
 *
 * @param call makes the value with an instance of `useClass` or `useExisting`
 * @throws InvalidModuleOptionError unless exactly one of `useFactory`, `useClass` and `useExisting` is given
 */
export function resolveAsyncFactory<T, F>(
  { useFactory, inject = [], useClass, useExisting }: AsyncOptions<T, F>,
  call: (factory: F) => T | Promise<T>,
): AsyncFactory<T> {
  const ways = [useFactory, useClass, useExisting].filter((way) => way !== undefined);
  if (ways.length !== 1) {
    throw new InvalidModuleOptionError(
      'useFactory',
      ways.length === 0 ? 'is missing' : 'is not the only factory option',
      'Pass exactly one of useFactory, useClass and useExisting to forRootAsync.',
    );
  }
  if (useFactory !== undefined) {
    return { make: (...dependencies) => useFactory(...(dependencies as never[])), inject, providers: [] };
  }
  return {
    make: (factory) => call(factory as F),
    inject: [(useClass ?? useExisting) as InjectionToken<F>],
    providers: useClass === undefined ? [] : [useClass],
  };
}
