import { hasMembers } from '@dacapo/protocol';

/**
 * Gives a recorded error the class that it had, where one of `holders` has a class of that name as a member: an error that a replay
 * throws then passes the `instanceof` that the application asks. Everything else of it stays. An error without such a class is
 * returned unchanged.
 */
export function withVendorClass(error: unknown, ...holders: unknown[]): unknown {
  if (!(error instanceof Error)) return error;
  const { name } = error.constructor;
  for (const holder of holders) {
    const found = classIn(holder, name);
    if (found === undefined || error instanceof found) continue;
    Object.setPrototypeOf(error, found.prototype as object);
    restoreHeaders(error);
    break;
  }
  return error;
}

type ErrorClass = abstract new (...args: never[]) => Error;

/** By the member's name, then by the class's own: they differ in bundles that rename classes. */
function classIn(holder: unknown, name: string): ErrorClass | undefined {
  if (!hasMembers(holder) && typeof holder !== 'function') return undefined;
  const member: unknown = Reflect.get(holder, name);
  if (isErrorClass(member)) return member;
  for (const key of Object.getOwnPropertyNames(holder)) {
    const value: unknown = Object.getOwnPropertyDescriptor(holder, key)?.value;
    if (isErrorClass(value) && value.name === name) return value;
  }
  return undefined;
}

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === 'function' && value.prototype instanceof Error;
}

/** Headers are recorded by their class's name alone. */
function restoreHeaders(error: Error & { headers?: unknown }): void {
  if (error.headers !== undefined && !hasMembers(error.headers)) error.headers = new Headers();
}

/**
 * The error that a client made by Stainless throws for a cancelled request; `undefined` for other clients. Newer ones have a method that
 * makes it.
 */
export function newAbortError(client: object, signal: AbortSignal | undefined): unknown {
  const make: unknown = Reflect.get(client, '_makeUserAbortError');
  if (typeof make === 'function') return Reflect.apply(make, client, [signal]);
  const AbortError = classIn(client.constructor, 'APIUserAbortError') as (new () => Error) | undefined;
  return AbortError && new AbortError();
}
