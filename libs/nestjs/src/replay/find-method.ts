import type { InjectionToken } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { tracedMethodOf } from '../tracing/traced-method.js';
import { MethodForKeyError } from './errors.js';

/** A method of a provider or a controller. */
export interface MethodOfProvider {
  readonly token: InjectionToken;
  readonly prototype: object;
  readonly method: string;
}

/**
 * The one method of the application that is traced under a key.
 *
 * @throws MethodForKeyError when there is none, or several
 */
export function findMethodByKey(modules: ModulesContainer, key: string): MethodOfProvider {
  const found = new Map<unknown, MethodOfProvider>();
  for (const [token, prototype] of prototypesOf(modules)) {
    for (const [method, fn] of methodsOf(prototype)) {
      if (tracedMethodOf(fn)?.key === key) found.set(prototype, { token, prototype, method });
    }
  }
  const [only, ...others] = found.values();
  if (only !== undefined && others.length === 0) return only;
  throw new MethodForKeyError(
    key,
    Array.from(found.values(), ({ prototype, method }) => `${prototype.constructor.name}.${method}`),
  );
}

/** The class of what the container has for a token; `undefined` when it has nothing with a class. */
export function prototypeOfToken(modules: ModulesContainer, token: InjectionToken): object | undefined {
  for (const [found, prototype] of prototypesOf(modules)) if (found === token) return prototype;
  return undefined;
}

function* prototypesOf(modules: ModulesContainer): Generator<[InjectionToken, object]> {
  for (const { providers, controllers } of modules.values()) {
    for (const wrapper of [...providers.values(), ...controllers.values()]) {
      if (wrapper.isAlias) continue;
      const { metatype } = wrapper;
      const isClass =
        typeof metatype === 'function' && wrapper.inject == null && metatype.prototype !== undefined;
      const instance: unknown = isClass || !wrapper.isDependencyTreeStatic() ? undefined : wrapper.instance;
      const prototype: unknown = isClass ? metatype.prototype : prototypeOf(instance);
      if (typeof prototype === 'object' && prototype !== null) yield [wrapper.token, prototype];
    }
  }
}

function prototypeOf(instance: unknown): unknown {
  return typeof instance === 'object' && instance !== null
    ? (Object.getPrototypeOf(instance) as unknown)
    : undefined;
}

function* methodsOf(prototype: object): Generator<[string, unknown]> {
  const seen = new Set<string>();
  let current: object | null = prototype;
  while (current !== null && current !== Object.prototype) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(current))) {
      if (!seen.has(name)) yield [name, value];
      seen.add(name);
    }
    current = Object.getPrototypeOf(current) as object | null;
  }
}
