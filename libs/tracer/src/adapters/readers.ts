import type { UsageRecord } from '@dacapo/protocol';

/** What an object of a foreign SDK holds, of which nothing is known. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** The fields of an object; of anything else none. */
export function toFields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** The fields of an object; `undefined` when it is none. */
export function asFields(value: unknown): Fields | undefined {
  return isFields(value) ? value : undefined;
}

/** The fields of an object except some. */
export function fieldsWithout(value: unknown, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(toFields(value)).filter(([name]) => !names.includes(name)));
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
export function knownFacts(facts: Readonly<Record<string, unknown>>): object[] | undefined {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null);
  return known.length === 0 ? undefined : [Object.fromEntries(known)];
}
