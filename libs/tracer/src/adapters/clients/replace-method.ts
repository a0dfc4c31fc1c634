import { InvalidOptionError } from '../../errors.js';
import type { AnyFunction } from '../../recording/span-definition.js';

/**
 * Has `apply` called in place of a method of one object; its name, length and text stay, and no member shows that did not.
 *
 * @throws InvalidOptionError when the object is frozen
 */
export function replaceMethod(
  owner: object,
  name: string,
  apply: (fn: AnyFunction, self: unknown, args: readonly unknown[]) => unknown,
): void {
  const fn = Reflect.get(owner, name) as AnyFunction;
  const value = new Proxy(fn, {
    apply: (target, self: unknown, args: unknown[]) => apply(target, self, args),
  });
  const { enumerable = false } = Reflect.getOwnPropertyDescriptor(owner, name) ?? {};
  if (!Reflect.defineProperty(owner, name, { value, enumerable, configurable: true, writable: true }))
    throw new InvalidOptionError(
      'client',
      `is frozen: its method ${name} cannot be recorded`,
      'Wrap the client before it is frozen.',
    );
}

/** Puts a member in the place of an object's own or inherited one, where lists of its members do not show it. */
export function defineMember(target: object, name: string | symbol, value: unknown): void {
  Object.defineProperty(target, name, { value, configurable: true, writable: true, enumerable: false });
}
