/** The resolved values of a table's earlier options. */
type EarlierValues = Readonly<Record<string, unknown>>;

/** One option: its accepted values and its default. The comment above it in its table describes what it does. */
export interface Option<Value, Default = undefined> {
  /** The accepted values in words, for errors and documents, such as `a whole number of bytes of at least 1`. */
  readonly takes: string;
  readonly default: Default;
  /** The default in documents, if the value itself does not explain it. */
  readonly defaultText?: string | undefined;
  /** What it does, for options without a comment. */
  readonly description?: string;
  accepts(value: unknown, earlier: EarlierValues): value is Value;
  /** What is wrong with a value that is not accepted, such as `must be true or false, not 7`. */
  problem(value: unknown, earlier: EarlierValues): string;
  /** What to write instead, a sentence. */
  cure(name: string): string;
  /** Computes the default if it depends on an earlier option; otherwise `default` applies. */
  defaultAfter?(earlier: EarlierValues): Default;
}

export type OptionTable = Readonly<Record<string, Option<unknown, unknown>>>;

/** The options that a caller may pass for a table. */
export type GivenOptions<Table extends OptionTable> = {
  -readonly [Name in keyof Table]?: Table[Name] extends Option<infer Value, unknown>
    ? Value | undefined
    : never;
};

/** The options after defaults were filled in. */
export type ResolvedOptions<Table extends OptionTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Option<infer Value, infer Default>
    ? Value | Default
    : never;
};

interface Traits<Value> {
  readonly takes: string;
  readonly accepts: (value: unknown) => value is Value;
  readonly cure: string | ((name: string) => string);
  readonly defaultText?: string | undefined;
  readonly description?: string;
  readonly problem?: (value: unknown) => string | undefined;
}

interface TraitsWithDefault<Value, Default> extends Traits<Value> {
  readonly default: Default;
}

/** An option of no particular kind. Without a default it is `undefined`. */
export function option<Value>(traits: Traits<Value>): Option<Value>;
export function option<Value, Default>(traits: TraitsWithDefault<Value, Default>): Option<Value, Default>;
export function option(traits: Traits<unknown>): Option<unknown, unknown> {
  const { takes, cure } = traits;
  return {
    default: undefined,
    ...traits,
    problem: (value) => traits.problem?.(value) ?? `must be ${takes}, not ${describe(value)}`,
    cure: typeof cure === 'string' ? () => cure : cure,
  };
}

/** A bound that depends on an earlier option of the table. */
interface RelativeBound {
  readonly times: number;
  readonly of: string;
}

interface NumberTraits {
  readonly default: number;
  readonly from: number | RelativeBound;
  readonly to?: number;
  /** Fractions count too, from `from` or above it. */
  readonly fraction?: 'above' | 'from';
  readonly unit?: 'bytes' | 'milliseconds';
  readonly cure?: string;
  readonly defaultText?: string;
}

/** The longest delay of a timer. A timer with a longer delay fires immediately. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function number(traits: NumberTraits): Option<number, number> {
  const { fraction, from, to = Infinity, unit } = traits;
  const leastAfter = (earlier: EarlierValues): number =>
    typeof from === 'number' ? from : from.times * Number(earlier[from.of]);
  const takes = (least: number | string): string => {
    const what = `${fraction === undefined ? 'a whole number' : 'a number'}${unit === undefined ? '' : ` of ${unit}`}`;
    const low = fraction === 'above' ? `above ${least}` : `from ${least}`;
    if (to === Infinity) return `${what} ${low}${fraction === 'above' ? '' : ' up'}`;
    return `${what} ${low}${fraction === 'above' ? ', at most' : ' to'} ${to}`;
  };
  return {
    takes: takes(typeof from === 'number' ? from : `${from.times === 1 ? '' : `${from.times} × `}${from.of}`),
    default: traits.default,
    defaultText: traits.defaultText,
    accepts: (value, earlier): value is number =>
      typeof value === 'number' &&
      (fraction === undefined ? Number.isSafeInteger(value) : Number.isFinite(value)) &&
      (fraction === 'above' ? value > leastAfter(earlier) : value >= leastAfter(earlier)) &&
      value <= to,
    problem: (value, earlier) => `must be ${takes(leastAfter(earlier))}, not ${describe(value)}`,
    cure: () => traits.cure ?? `Omit it for ${traits.default}.`,
    defaultAfter: (earlier) => Math.max(traits.default, leastAfter(earlier)),
  };
}

/** A boolean option. Rejects strings, because an environment variable with the value `false` would count as true. */
export function flag<Default extends boolean | undefined>(
  byDefault: Default,
  cure?: string,
): Option<boolean, Default> {
  return option({
    takes: 'true or false',
    default: byDefault,
    accepts: (value) => typeof value === 'boolean',
    cure: cure ?? ((name) => `For an environment variable, write ${name}: process.env.NAME === 'true'.`),
  });
}

interface TextTraits {
  readonly cure: string;
  readonly defaultText?: string;
  /** Whether it may be blank. */
  readonly blank?: boolean;
}

/** One of a few values. */
export function choice<const Value extends string>(
  values: readonly Value[],
  defaultText?: string,
): Option<Value> {
  return option({
    takes: `one of ${values.join(', ')}`,
    defaultText,
    accepts: (value): value is Value => values.some((one) => one === value),
    cure: `Use one of ${values.join(', ')}, or omit it.`,
  });
}

/** One of a few values; the first is the default. */
export function oneOf<const Values extends readonly [string, ...(string | false)[]]>(
  ...values: Values
): Option<Values[number], Values[number]> {
  const words = values.map((value) => JSON.stringify(value));
  return option({
    takes: `one of ${words.join(', ')}`,
    default: values[0],
    accepts: (value): value is Values[number] => values.some((one) => one === value),
    cure: `Omit it for ${words[0]}.`,
  });
}

/** @param example shown in errors, such as `onError: (error) => …` */
export function callback<Callback extends (...args: never[]) => unknown>(example: string): Option<Callback> {
  return option({
    takes: 'a function',
    accepts: (value): value is Callback => typeof value === 'function',
    cure: `Write it like ${example}.`,
  });
}

export function text({ blank = false, ...traits }: TextTraits): Option<string> {
  return option({
    ...traits,
    takes: blank ? 'a string' : 'a string that is not blank',
    accepts: (value): value is string => typeof value === 'string' && (blank || value.trim() !== ''),
  });
}

/** A group of options with its own table. */
export function group<Options extends object>(example: string): Option<Options> {
  return option({
    takes: 'an object',
    defaultText: 'see below',
    accepts: (value): value is Options => typeof value === 'object' && value !== null,
    cure: `Write it like ${example}.`,
  });
}

/** Describes a value for an error message: strings and numbers by value, others by kind. */
function describe(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' || typeof value === 'boolean' ? JSON.stringify(value) : typeof value;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
