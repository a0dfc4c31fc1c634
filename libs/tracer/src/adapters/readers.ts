import { hasMembers, type Members, toMembers, type UsageRecord } from '@dacapo/protocol';
import { isAsyncIterable } from '../recording/result/result-kinds.js';

/** Whether a value can be read piece by piece. */
export function isStream(value: unknown): value is AsyncIterable<unknown> {
  return hasMembers(value) && isAsyncIterable(value);
}

/** The members of an object except some. */
export function membersWithout(value: unknown, ...names: readonly string[]): Members {
  return Object.fromEntries(Object.entries(toMembers(value)).filter(([name]) => !names.includes(name)));
}

/** Returns a number as a usage field; nothing for other values. */
export function count(name: string, value: unknown): UsageRecord {
  return typeof value === 'number' ? { [name]: value } : {};
}

/** Returns a duration as a usage field, rounded to microseconds, because more digits of a clock difference are noise. */
export function milliseconds(name: string, value: unknown): UsageRecord {
  return typeof value === 'number' ? { [name]: Math.round(value * 1000) / 1000 } : {};
}

/** Returns a text as a usage field; nothing for other values. */
export function text(name: string, value: unknown): UsageRecord {
  return typeof value === 'string' ? { [name]: value } : {};
}

/** Parses a text as JSON; returns the text if it is not JSON, and other values unchanged. */
export function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** Returns the known facts as one context; `undefined` without any. */
export function knownFacts(facts: Members): object[] | undefined {
  const known = knownMembers(facts);
  return Object.keys(known).length === 0 ? undefined : [known];
}

/** The members that have a value. */
export function knownMembers(value: unknown): Members {
  return Object.fromEntries(
    Object.entries(toMembers(value)).filter(([, member]) => member !== undefined && member !== null),
  );
}

/** The sum of the amounts that are numbers. */
export function sum(...amounts: readonly unknown[]): number {
  return amounts.reduce<number>((total, amount) => total + (typeof amount === 'number' ? amount : 0), 0);
}

/** Converts a value to the arguments of a call; `undefined` without a value. */
export function toArguments(value: unknown): unknown[] | undefined {
  return value === undefined ? undefined : [value];
}
