import type { InjectionToken } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { providedMethods, prototypesOf, tracedMethods } from '../tracing/traced-methods.js';
import type { TracedMethod } from '../tracing/traced-method.js';
import { MethodForKeyError } from './errors.js';

/** A method of a provider or a controller. */
export interface MethodOfProvider {
  readonly token: InjectionToken;
  readonly prototype: object;
  readonly method: string | symbol;
}

/**
 * The one method of the application that is traced under a key.
 *
 * @throws MethodForKeyError when there is none, or several
 */
export function findMethodByKey(modules: ModulesContainer, key: string): MethodOfProvider {
  const found = new Map<object, MethodOfProvider>();
  for (const { token, prototype, method, traced } of tracedMethods(modules))
    if (traced.key === key) found.set(prototype, { token, prototype, method });
  const [only, ...others] = found.values();
  if (only !== undefined && others.length === 0) return only;
  throw new MethodForKeyError(
    key,
    Array.from(found.values(), ({ prototype, method }) => `${prototype.constructor.name}.${String(method)}`),
  );
}

/** A method that can be replayed, by the name that a person gives it. */
export interface ReplayableMethod {
  /** `Class.method`. Two classes of one name are two entries. */
  readonly name: string;
  /** What `ReplayService.replay` takes. */
  readonly token: InjectionToken;
  readonly method: string | symbol;
  /** The trace function key that it is decorated with; absent where it is not, and needs one to be replayed. */
  readonly key?: string;
}

/** All methods of providers and controllers, by name; a provider that several modules have is there once. */
export function listMethods(modules: ModulesContainer): ReplayableMethod[] {
  const found = new Map<object, Map<string | symbol, ReplayableMethod>>();
  for (const { token, prototype, method, traced } of providedMethods(modules)) {
    const ofClass = found.get(prototype) ?? new Map<string | symbol, ReplayableMethod>();
    found.set(prototype, ofClass);
    const name = `${prototype.constructor.name}.${String(method)}`;
    // A class may stand behind several tokens: its own is the plainest.
    if (!ofClass.has(method) || token === prototype.constructor)
      ofClass.set(method, { name, token, method, ...(traced && { key: traced.key }) });
  }
  return [...found.values()].flatMap((methods) => [...methods.values()]);
}

/** The class of what the container has for a token; `undefined` when it has nothing with a class. */
export function prototypeOfToken(modules: ModulesContainer, token: InjectionToken): object | undefined {
  for (const [found, prototype] of prototypesOf(modules)) if (found === token) return prototype;
  return undefined;
}

/**
 * The other classes of the application that have the method under the same key, as where several inherit it: calls that were
 * recorded on one of them are not its own. A class that the application does not have any more may have been renamed to this one.
 */
export function otherClassesOf(
  modules: ModulesContainer,
  { token, prototype }: MethodOfProvider,
  { key }: TracedMethod,
): ReadonlySet<string> {
  const others = new Set<string>();
  for (const { prototype: other, traced } of tracedMethods(modules))
    if (traced.key === key) others.add(other.constructor.name);
  const own = [
    prototype,
    prototypeOfToken(modules, token),
    typeof token === 'function' ? token.prototype : undefined,
  ];
  for (const each of own) if (each !== undefined) others.delete((each as object).constructor.name);
  return others;
}
