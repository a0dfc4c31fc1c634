import type { InjectionToken } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { prototypesIn } from '../container.js';
import { type ProvidedMethod, providedMethods, tracedMethods } from '../tracing/traced-methods.js';
import type { TracedMethod } from '../tracing/traced-method.js';
import { MethodForKeyError } from './errors.js';

export type ReplayTarget = Pick<ProvidedMethod, 'token' | 'prototype' | 'method'>;

/**
 * Returns the method of the application that is traced under a key.
 *
 * @throws MethodForKeyError unless there is exactly one
 */
export function findMethodByKey(modules: ModulesContainer, key: string): ReplayTarget {
  const found = new Map<object, ReplayTarget>();
  for (const { token, prototype, method, traced } of tracedMethods(modules))
    if (traced.key === key) found.set(prototype, { token, prototype, method });
  const [only, ...others] = found.values();
  if (only !== undefined && others.length === 0) return only;
  throw new MethodForKeyError(
    key,
    Array.from(found.values(), ({ prototype, method }) => `${prototype.constructor.name}.${String(method)}`),
  );
}

/** A method that can be replayed. */
export interface ReplayableMethod {
  /** `Class.method`. Two classes with the same name have two entries. */
  readonly name: string;
  /** The first argument of `ReplayService.replay`. */
  readonly token: InjectionToken;
  readonly method: string | symbol;
  /** The key in its `@Traced`. Absent without `@Traced`: a replay then needs the option `key`. */
  readonly key?: string;
}

/** All methods of providers and controllers. A provider of several modules is listed once. */
export function listMethods(modules: ModulesContainer): ReplayableMethod[] {
  const found = new Map<object, Map<string | symbol, ReplayableMethod>>();
  for (const { token, prototype, method, traced } of providedMethods(modules)) {
    const methods = found.get(prototype) ?? new Map<string | symbol, ReplayableMethod>();
    found.set(prototype, methods);
    const name = `${prototype.constructor.name}.${String(method)}`;
    // Of several tokens for one class, the class itself is preferred.
    if (!methods.has(method) || token === prototype.constructor)
      methods.set(method, { name, token, method, ...(traced && { key: traced.key }) });
  }
  return [...found.values()].flatMap((methods) => [...methods.values()]);
}

/** The prototype of the token's provider; `undefined` if it has no class. */
export function findPrototype(modules: ModulesContainer, token: InjectionToken): object | undefined {
  for (const [found, prototype] of prototypesIn(modules)) if (found === token) return prototype;
  return undefined;
}

/**
 * The other classes of the application whose methods have the same key, for example because they inherit the method: the
 * replay skips calls that were recorded on them. Calls of unknown classes are replayed, because a class may have been renamed.
 */
export function otherClassesWithKey(
  modules: ModulesContainer,
  { token, prototype }: ReplayTarget,
  { key }: TracedMethod,
): ReadonlySet<string> {
  const others = new Set<string>();
  for (const { prototype: other, traced } of tracedMethods(modules))
    if (traced.key === key) others.add(other.constructor.name);
  const own = [
    prototype,
    findPrototype(modules, token),
    typeof token === 'function' ? token.prototype : undefined,
  ];
  for (const each of own) if (each !== undefined) others.delete((each as object).constructor.name);
  return others;
}
