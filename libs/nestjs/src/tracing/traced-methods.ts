import type { InjectionToken } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { findTracedMethod, type TracedMethod } from './traced-method.js';

type Module = NonNullable<ReturnType<ModulesContainer['get']>>;
type InstanceWrapper = NonNullable<ReturnType<Module['providers']['get']>>;

/** A method of a provider or a controller. */
export interface ProvidedMethod {
  readonly token: InjectionToken;
  readonly prototype: object;
  /** The prototype in its chain that has the method. */
  readonly owner: object;
  readonly method: string | symbol;
  /** Absent where it is not decorated. */
  readonly traced?: TracedMethod | undefined;
}

type DecoratedMethod = ProvidedMethod & { readonly traced: TracedMethod };

/** Every decorated method that providers and controllers of an application have, own or inherited. */
export function* tracedMethods(modules: ModulesContainer): Generator<DecoratedMethod> {
  for (const found of providedMethods(modules)) if (isDecorated(found)) yield found;
}

function isDecorated(method: ProvidedMethod): method is DecoratedMethod {
  return method.traced !== undefined;
}

/** Every method that providers and controllers of an application have, own or inherited. */
export function* providedMethods(modules: ModulesContainer): Generator<ProvidedMethod> {
  for (const [token, prototype] of prototypesOf(modules)) {
    const seen = new Set<string | symbol>();
    let owner: object | null = prototype;
    for (
      ;
      owner !== null && owner !== Object.prototype;
      owner = Object.getPrototypeOf(owner) as object | null
    ) {
      for (const method of Reflect.ownKeys(owner)) {
        if (seen.has(method)) continue;
        seen.add(method);
        const value: unknown = Object.getOwnPropertyDescriptor(owner, method)?.value;
        if (typeof value === 'function' && method !== 'constructor')
          yield { token, prototype, owner, method, traced: findTracedMethod(owner, method) };
      }
    }
  }
}

/** The classes of providers and controllers, by their tokens. */
export function* prototypesOf(modules: ModulesContainer): Generator<[InjectionToken, object]> {
  for (const { providers, controllers } of modules.values()) {
    for (const wrapper of [...providers.values(), ...controllers.values()]) {
      const prototype = wrapper.isAlias ? undefined : prototypeOf(wrapper);
      if (typeof prototype === 'object' && prototype !== null) yield [wrapper.token, prototype];
    }
  }
}

function prototypeOf(wrapper: InstanceWrapper): unknown {
  const { metatype } = wrapper;
  if (typeof metatype === 'function' && wrapper.inject == null && metatype.prototype !== undefined)
    return metatype.prototype;
  try {
    const instance: unknown = wrapper.isDependencyTreeStatic() ? wrapper.instance : undefined;
    return typeof instance === 'object' && instance !== null ? Object.getPrototypeOf(instance) : undefined;
  } catch {
    // A proxy that answers only inside a request.
    return undefined;
  }
}
