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

/** A number under a name of usage; nothing when it is none. */
export function count(name: string, value: unknown): UsageRecord {
  return typeof value === 'number' ? { [name]: value } : {};
}

/** A duration under a name of usage, in whole microseconds: what a difference of clocks has beyond that is noise. */
export function milliseconds(name: string, value: unknown): UsageRecord {
  return typeof value === 'number' ? { [name]: Math.round(value * 1000) / 1000 } : {};
}

/** A text under a name of usage; nothing when it is none. */
export function text(name: string, value: unknown): UsageRecord {
  return typeof value === 'string' ? { [name]: value } : {};
}

/** What a text says as JSON, else the text; what is no text stays. */
export function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** The facts that are known, as the one context to add; `undefined` when none is. */
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

/** A value as the arguments of a call; `undefined`: it has none. */
export function toArguments(value: unknown): unknown[] | undefined {
  return value === undefined ? undefined : [value];
}
