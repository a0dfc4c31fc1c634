import * as v from 'valibot';
import { describeValue } from '../../errors.js';
import { isSpanId, isTraceId } from '../../ids/ids.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.js';
import { LIMITS } from '../../limits.js';
import { nearestName } from '../../nearest-name.js';
import { formatTimestamp, parseTimestamp } from '../../timestamp.js';

/** The kinds of values in requests and answers, on valibot (docs/adr/0080). Each refuses a value with what it must be. */

export type Schema<Value = unknown> = v.GenericSchema<Value>;
type Entries = v.ObjectEntries;

/** By the value: compilers that check declarations would check the bounds of valibot's type for each field. */
export type Maybe<Value> = v.ExactOptionalSchema<Schema<Value>, undefined>;

/** A field that may be absent. In a request, `null` counts as absent. */
export const maybe = <Value>(schema: Schema<Value>): Maybe<Value> => v.exactOptional(schema);

/** Adds what a field means, for the OpenAPI document: before what transforms the value, where the document ends. */
export function about<S extends Schema>(description: string, schema: S): S {
  const { pipe = [schema] } = schema as {
    pipe?: readonly [Schema, ...v.PipeItem<unknown, unknown, never>[]];
  };
  const [first, ...rest] = pipe;
  return v.pipe(first, v.description(description), ...rest) as unknown as S;
}

export const string = (): Schema<string> =>
  v.string((issue) => `must be a string, not ${describeValue(issue.input)}`);

/** A text of at most `most` characters. */
export const text = (most: number): Schema<string> =>
  v.pipe(
    string(),
    v.maxLength(most, (issue) => `must have at most ${most} characters, not ${issue.input.length}`),
  );

/** A displayed and searched text: not blank, at most `LIMITS.labelLength` characters. */
export const label = (most: number = LIMITS.labelLength): Schema<string> =>
  v.pipe(
    text(most),
    v.check((value) => value.trim() !== '', 'must not be blank'),
  );

/** @param shape completes "must be …" */
export const matching = (isValid: (value: string) => boolean, shape: string): Schema<string> =>
  v.pipe(string(), v.check(isValid, `must be ${shape}`));

export const uuid = (): Schema<string> => matching(isTraceId, 'a UUID in lower case');

export const spanId = (): Schema<string> => matching(isSpanId, '16 hex digits');

export const sha256 = (): Schema<string> =>
  matching((value) => /^[\da-f]{64}$/.test(value), '64 hex digits in lower case');

/** A version in a path: a number from `least` up, or a word for one of them. */
export const version = <const Word extends string>(word: Word, least = 0): Schema<number | Word> =>
  v.pipe(
    matching(
      (value) => value === word || (/^\d{1,15}$/.test(value) && Number(value) >= least),
      `a whole number of at least ${least}, or ${word}`,
    ),
    v.transform((value): number | Word => (value === word ? word : Number(value))),
  ) as unknown as Schema<number | Word>;

/** A time in any precision, read as one with microseconds. */
export const time = (): Schema<string> =>
  v.pipe(
    matching(
      (value) => parseTimestamp(value) !== undefined,
      'an ISO 8601 time in UTC, such as 2026-01-31T12:00:00.000000Z',
    ),
    v.metadata({ format: 'date-time' }),
    v.transform((value) => formatTimestamp(parseTimestamp(value) ?? 0)),
  );

export const flag = (): Schema<boolean> => v.boolean('must be true or false');

/** `true`, or absent. */
export const yes = (): Schema<true> => v.literal(true, 'must be true');

export const number = (): Schema<number> =>
  v.pipe(
    v.number((issue) => `must be a number, not ${describeValue(issue.input)}`),
    v.finite('must be a finite number'),
  );

/** A number of at least 0. */
export const amount = (): Schema<number> => {
  const problem = (input: unknown): string => `must be a number of at least 0, not ${describeValue(input)}`;
  return v.pipe(
    v.number((issue) => problem(issue.input)),
    v.finite((issue) => problem(issue.input)),
    v.minValue(0, (issue) => problem(issue.input)),
  );
};

export const whole = (least = 0, most: number = Number.MAX_SAFE_INTEGER): Schema<number> => {
  const problem = (input: unknown): string =>
    `must be a whole number from ${least} to ${most}, not ${describeValue(input)}`;
  return v.pipe(
    v.number((issue) => problem(issue.input)),
    v.integer((issue) => problem(issue.input)),
    v.minValue(least, (issue) => problem(issue.input)),
    v.maxValue(most, (issue) => problem(issue.input)),
  );
};

export const choice = <const Choice extends string>(choices: readonly Choice[]): Schema<Choice> =>
  v.picklist(choices, (issue) => `must be one of ${choices.join(', ')}, not ${describeValue(issue.input)}`);

export const list = <Item>(item: Schema<Item>, most = Infinity): Schema<Item[]> =>
  v.pipe(
    v.array(item, (issue) => `must be an array, not ${describeValue(issue.input)}`),
    v.maxLength(most, (issue) => `must have at most ${most} entries, not ${issue.input.length}`),
  );

/** A list with one entry at least. */
export const filled = <Item>(item: Schema<Item>, most = Infinity): Schema<Item[]> =>
  v.pipe(list(item, most), v.minLength(1, 'must hold one at least'));

/** A list with one entry at least. Duplicates are removed. */
export const set = <Item>(item: Schema<Item>, most = Infinity): Schema<Item[]> =>
  v.pipe(
    filled(item, most),
    v.transform((entries) => [...new Set(entries)]),
  );

/** Any JSON object. @param most maximum number of names */
export const jsonObject = (most = Infinity): Schema<JsonObject> =>
  v.pipe(
    v.custom<JsonObject>(isJsonObject, (issue) => `must be an object, not ${describeValue(issue.input)}`),
    v.check(
      (value) => Object.keys(value).length <= most,
      (issue) => `must have at most ${most} names, not ${Object.keys(issue.input).length}`,
    ),
    v.metadata({ type: 'object' }),
  );

/** Any JSON. Where it is optional, `null` is a value. */
export const json = (): Schema<JsonValue> => v.any();

/** A recorded value or a run item. Its own parser keeps unknown fields. @param name of its type in the OpenAPI document */
export const recorded = <Value>(name: string): Schema<Value> =>
  v.pipe(
    v.custom<Value>(() => true),
    v.metadata({ $ref: `#/components/schemas/${name}` }),
  );

/** An object with any member names. */
export const record = <Value>(value: Schema<Value>): Schema<Record<string, Value>> =>
  v.record(v.string(), value, (issue) => `must be an object, not ${describeValue(issue.input)}`);

/** An object or another type. The error is that of the type that was received. */
export const orObject = <Other, Object>(
  other: Schema<Other>,
  object: Schema<Object>,
): Schema<Other | Object> => {
  const run: Schema<Other | Object>['~run'] = (dataset, config) =>
    (isJsonObject(dataset.value) ? object : other)['~run'](dataset, config);
  return { ...v.union([other, object]), '~run': run };
};

/** Keeps declarations short, which contain the types of all routes. */
export type ObjectSchema<E extends Entries> = v.StrictObjectSchema<E, undefined>;

/** An object that rejects unknown fields before it checks the known ones, because an unknown field is often a typo. */
export function object<const E extends Entries>(entries: E): ObjectSchema<E> {
  const names = Object.keys(entries);
  return objectOf(entries, (value) => refuseNames(names, value));
}

/** An object whose unknown fields are dropped: a client of a later version may send them. */
export function known<const E extends Entries>(entries: E): ObjectSchema<E> {
  return objectOf(entries, (value) => (isJsonObject(value) ? undefined : RECORD));
}

function objectOf<const E extends Entries>(
  entries: E,
  refuse: (value: unknown) => Schema | undefined,
): ObjectSchema<E> {
  const schema = v.strictObject(entries, ({ expected, path, input }) => {
    const entry = expected.startsWith('"') ? entries[String(path?.at(-1)?.key)] : undefined;
    if (entry === undefined) return `must be an object, not ${describeValue(input)}`;
    return v.safeParse(entry, undefined).issues?.[0].message ?? 'is missing';
  });
  const run: (typeof schema)['~run'] = (dataset, config) => {
    const { value } = dataset;
    const refusal = refuse(value);
    if (refusal !== undefined) return refusal['~run'](dataset, config) as ReturnType<(typeof schema)['~run']>;
    const present = Object.entries(value as object).filter(
      ([name, member]) => Object.hasOwn(entries, name) && (member !== null || !isAbsentAsNull(entries[name])),
    );
    return schema['~run']({ value: Object.fromEntries(present) }, config);
  };
  return { ...schema, '~run': run } as unknown as ObjectSchema<E>;
}

/** An object that only rejects unknown fields. Its receiver parses the fields later and may reject this object alone. */
export function unread<S extends Schema & { readonly entries: Entries }>(schema: S): S {
  const run: S['~run'] = (dataset, config) => {
    const refusal = isJsonObject(dataset.value)
      ? refuseNames(Object.keys(schema.entries), dataset.value)
      : undefined;
    return (refusal ?? v.unknown())['~run'](dataset, config);
  };
  return { ...schema, '~run': run };
}

/** A schema that rejects the value if it is not an object or has a member outside `names`; else `undefined`. */
function refuseNames(names: readonly string[], value: unknown): Schema | undefined {
  if (!isJsonObject(value)) return RECORD;
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  return unknown === undefined ? undefined : v.object({ [unknown]: v.never(unknownName(unknown, names)) });
}

function isAbsentAsNull(schema: Schema | undefined): boolean {
  return schema?.type === 'exact_optional' && (schema as { wrapped?: Schema }).wrapped?.type !== 'any';
}

const RECORD = v.custom<Record<string, unknown>>(
  isJsonObject,
  (issue) => `must be an object, not ${describeValue(issue.input)}`,
);

/** What to write in place of an unknown name. */
function unknownName(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  const names = known.length === 0 ? 'None is accepted' : `Known: ${known.toSorted().join(', ')}`;
  return `${near === undefined ? '' : `Did you mean "${near}"? `}${names}`;
}
