import {
  type CallConditions,
  type CallSelection,
  type Condition,
  type ConditionName,
  type ConditionOption,
  conditionOption,
  conditionsIn,
  documentCondition,
  isTraceId,
  type JsonObject,
  SAMPLE_KINDS,
  type SampleKind,
} from '@dacapo/protocol';
import { resolveOptions } from './check-options.js';
import {
  flag,
  type GivenOptions,
  isRecord,
  number,
  type Option,
  option,
  type ResolvedOptions,
  text,
} from './option.js';

const NO_LIMIT = Number.MAX_SAFE_INTEGER;

const CONDITION_ROWS = conditionsIn('selections') as [keyof CallConditions, Condition][];

const TRACE_IDS = option<readonly string[]>({
  takes: 'a list of trace ids, UUIDs in lower case',
  accepts: (value): value is readonly string[] => Array.isArray(value) && value.every(isId),
  problem: (value) => (Array.isArray(value) ? describeInvalidIds(value) : undefined),
  cure: 'Write it like [traceId], or omit it for all traces.',
});

/** Which stored calls are replayed. A call must match all conditions. */
export const SELECTION_OPTIONS = {
  /** The maximum number of calls, newest first. */
  limit: number({
    default: NO_LIMIT,
    from: 0,
    defaultText: 'all of the key',
    cure: 'Omit it for all calls.',
  }),
  ...conditionOptions(),
  /**
   * A sample of the selected calls: `{ size: 100 }`. `by` is `'random'` (the default), `'errors'` (failed calls first) or
   * `'slow'` (longest first). The same `seed` selects the same calls from the same data.
   */
  sample: option<{ readonly size: number; readonly by?: SampleKind; readonly seed?: number }>({
    takes: 'an object with a size',
    accepts: (value): value is { size: number; by?: SampleKind; seed?: number } =>
      isRecord(value) &&
      Number.isSafeInteger(value['size']) &&
      [undefined, ...SAMPLE_KINDS].some((kind) => kind === value['by']) &&
      (value['seed'] === undefined || Number.isSafeInteger(value['seed'])),
    cure: `Write it like { size: 100, by: 'random', seed: 1 }; by is one of ${SAMPLE_KINDS.join(', ')}.`,
  }),
};

/** Which stored calls with a key are replayed. A call must match all conditions. */
export type SelectionOptions = GivenOptions<typeof SELECTION_OPTIONS>;

export type ResolvedSelection = ResolvedOptions<typeof SELECTION_OPTIONS>;

/**
 * Converts options to the selection that the service receives.
 *
 * @param owner prefix of option names in errors, such as `datasets.add.`
 * @throws InvalidOptionError
 */
export function resolveSelection(owner: string, options: SelectionOptions): CallSelection {
  return toSelection(resolveOptions(owner, SELECTION_OPTIONS, options));
}

/** Converts resolved options to the selection that the service receives. */
export function toSelection(options: ResolvedSelection): CallSelection {
  const { limit, sample } = options;
  const conditions = CONDITION_ROWS.flatMap(([name, { kind }]): [string, unknown][] => {
    const value: unknown = options[conditionOption(name)];
    if (value === undefined) return [];
    if (kind === 'time') return [[name, new Date(value as string | Date).toISOString()]];
    return [[name, kind === 'metadata' ? (JSON.parse(JSON.stringify(value)) as JsonObject) : value]];
  });
  return {
    ...(limit < NO_LIMIT && { limit }),
    ...Object.fromEntries(conditions),
    ...(sample && { sample }),
  };
}

/** The accepted values of a condition as an option: times may be dates, and metadata any object. */
type ConditionValue<Name extends keyof CallConditions> = Name extends 'since' | 'until'
  ? string | Date
  : Name extends 'metadata'
    ? Readonly<Record<string, unknown>>
    : NonNullable<CallConditions[Name]> extends string[]
      ? readonly string[]
      : NonNullable<CallConditions[Name]>;

type ConditionOptions = {
  readonly [Name in keyof CallConditions as ConditionOption<Name>]-?: Option<ConditionValue<Name>>;
};

function conditionOptions(): ConditionOptions {
  const options = CONDITION_ROWS.map(([name, row]) => {
    const description = documentCondition(row, 'selections');
    return [conditionOption(name), { ...optionFor(name, row), description }];
  });
  return Object.fromEntries(options) as ConditionOptions;
}

function optionFor(name: ConditionName, { kind, choices = [] }: Condition): Option<unknown> {
  const of = (takes: string, accepts: (value: unknown) => boolean, cure = 'Omit it for all.') =>
    option<unknown>({
      takes,
      accepts: (value): value is unknown => accepts(value),
      cure,
    });
  switch (kind) {
    case 'amount':
      return of('a number of at least 0', (value) => Number.isFinite(value) && Number(value) >= 0);
    case 'number':
      return of('a number', Number.isFinite);
    case 'scalar':
      return of('a string, a number, true or false', isScalar, "Write it like 'good'.");
    case 'choice':
      return of(`one of ${choices.map((value) => JSON.stringify(value)).join(', ')}`, (value) =>
        choices.some((one) => one === value),
      );
    case 'flag':
      return flag(undefined);
    case 'time':
      return of(
        'a Date, or a time as ISO 8601 writes it',
        (value) =>
          (typeof value === 'string' || value instanceof Date) && !Number.isNaN(new Date(value).getTime()),
        "Write it like '2026-11-22T05:00:00Z'.",
      );
    case 'metadata':
      return of('an object', isRecord, "Write it like { tenant: 'ann' }.");
    case 'list':
      return name === 'trace_ids'
        ? TRACE_IDS
        : of(
            'a list of strings that are not blank',
            (value) =>
              Array.isArray(value) && value.every((one) => typeof one === 'string' && one.trim() !== ''),
            "Write it like ['a'].",
          );
    default:
      return text({ cure: 'Omit it for all.' });
  }
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && isTraceId(value);
}

function describeInvalidIds(ids: readonly unknown[]): string {
  return `must be a list of trace ids, UUIDs in lower case, not ${JSON.stringify(ids.find((id) => !isId(id)))}`;
}
