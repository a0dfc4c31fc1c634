import type { InjectionToken } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { prototypesIn } from '../container.js';
import { findTracedMethod, type TracedMethod } from './traced-method.js';

/** A method of a provider or a controller. */
export interface ProvidedMethod {
  readonly token: InjectionToken;
  readonly prototype: object;
  /** The prototype in its chain that has the method. */
  readonly owner: object;
  readonly method: string | symbol;
  /** Absent for a method without `@Traced`. */
  readonly traced?: TracedMethod | undefined;
}

type DecoratedMethod = ProvidedMethod & { readonly traced: TracedMethod };

/** All decorated methods of an application's providers and controllers, own or inherited. */
export function* tracedMethods(modules: ModulesContainer): Generator<DecoratedMethod> {
  for (const found of providedMethods(modules)) if (isDecorated(found)) yield found;
}

function isDecorated(method: ProvidedMethod): method is DecoratedMethod {
  return method.traced !== undefined;
}

/** All methods of an application's providers and controllers, own or inherited. */
export function* providedMethods(modules: ModulesContainer): Generator<ProvidedMethod> {
  for (const [token, prototype] of prototypesIn(modules)) {
    const seen = new Set<string | symbol>();
    let owner: object | null = prototype;
    while (owner !== null && owner !== Object.prototype) {
      for (const method of Reflect.ownKeys(owner)) {
        if (seen.has(method)) continue;
        seen.add(method);
        const value: unknown = Object.getOwnPropertyDescriptor(owner, method)?.value;
        if (typeof value === 'function' && method !== 'constructor')
          yield { token, prototype, owner, method, traced: findTracedMethod(owner, method) };
      }
      owner = Object.getPrototypeOf(owner) as object | null;
    }
  }
}
