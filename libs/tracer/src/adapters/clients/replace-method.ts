import { InvalidOptionError } from '../../errors.js';
import type { AnyFunction } from '../../recording/span-definition.js';

/**
 * Replaces a method of one object by `apply`. Name, length and text of the method stay the same, and no new member becomes visible.
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

/** Replaces an object's own or inherited member. The new member is enumerable only if the old one was an own enumerable member. */
export function defineMember(target: object, name: string | symbol, value: unknown): void {
  const { enumerable = false } = Reflect.getOwnPropertyDescriptor(target, name) ?? {};
  Object.defineProperty(target, name, { value, configurable: true, writable: true, enumerable });
}
