import type { InjectionToken, Type } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';

type Module = NonNullable<ReturnType<ModulesContainer['get']>>;
export type InstanceWrapper = NonNullable<ReturnType<Module['providers']['get']>>;

/** Visits each singleton among providers and controllers, including those of `useFactory` and `useValue`. */
export function visitSingletons(modules: ModulesContainer, visit: (instance: object) => void): void {
  for (const { providers, controllers } of modules.values()) {
    for (const wrapper of [...providers.values(), ...controllers.values()]) {
      try {
        if (!wrapper.isDependencyTreeStatic() || wrapper.isTransient) continue;
        const instance: unknown = wrapper.instance;
        if (typeof instance === 'object' && instance !== null) visit(instance);
      } catch {
        // A proxy that works only inside a request.
      }
    }
  }
}

/** Visits the guards or the interceptors of an application, including those of `@UseGuards` and `@UseInterceptors`. */
export function visitEnhancers(
  modules: ModulesContainer,
  subtype: 'guard' | 'interceptor',
  visit: (wrapper: InstanceWrapper) => void,
): void {
  for (const { providers, injectables } of modules.values()) {
    for (const wrapper of [...providers.values(), ...injectables.values()]) {
      try {
        if (wrapper.subtype === subtype) visit(wrapper);
      } catch {
        // A proxy that works only inside a request, or a frozen object: it stays unchanged.
      }
    }
  }
}

/** The classes of controllers and providers, and the functions of `useFactory`. */
export function* classesIn(modules: ModulesContainer): Generator<Type> {
  for (const { controllers, providers } of modules.values())
    for (const { metatype } of [...controllers.values(), ...providers.values()])
      if (typeof metatype === 'function') yield metatype as Type;
}

/** The prototypes of providers and controllers, with their tokens. */
export function* prototypesIn(modules: ModulesContainer): Generator<[InjectionToken, object]> {
  for (const { providers, controllers } of modules.values()) {
    for (const wrapper of [...providers.values(), ...controllers.values()]) {
      const prototype = wrapper.isAlias ? undefined : findPrototype(wrapper);
      if (typeof prototype === 'object' && prototype !== null) yield [wrapper.token, prototype];
    }
  }
}

function findPrototype(wrapper: InstanceWrapper): unknown {
  const { metatype } = wrapper;
  if (typeof metatype === 'function' && wrapper.inject == null && metatype.prototype !== undefined)
    return metatype.prototype;
  try {
    const instance: unknown = wrapper.isDependencyTreeStatic() ? wrapper.instance : undefined;
    return typeof instance === 'object' && instance !== null ? Object.getPrototypeOf(instance) : undefined;
  } catch {
    // A proxy that works only inside a request.
    return undefined;
  }
}
