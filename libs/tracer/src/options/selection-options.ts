import {
  type CallSelection,
  FIELD_NAMES,
  FIELD_OPTIONS,
  isTraceId,
  type JsonObject,
  SAMPLE_KINDS,
  type SampleKind,
  SPAN_KINDS,
  SPAN_LEVELS,
  SPAN_STATUSES,
  SPAN_TYPES,
  type SpanKind,
  type SpanLevel,
  type SpanStatus,
  type SpanType,
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

/** Which stored calls are played. Conditions hold together. */
export const SELECTION_OPTIONS = {
  /** The maximum number of calls, newest first. */
  limit: number({
    default: NO_LIMIT,
    from: 0,
    defaultText: 'all of the key',
    cure: 'Leave it out for all calls.',
  }),
  /** Only these traces, in this order; any number of them. */
  traceIds: option<readonly string[]>({
    takes: 'a list of trace ids, UUIDs in lower case',
    default: undefined,
    accepts: (value): value is readonly string[] => Array.isArray(value) && value.every(isId),
    problem: (value) => (Array.isArray(value) ? problemOfIds(value) : undefined),
    cure: 'Write it like [traceId], or leave it out for all traces.',
  }),
  /** Calls that started at or after this time. */
  since: moment(),
  /** Calls that started before this time. */
  until: moment(),
  /** Calls in traces of this session. */
  sessionId: text({ cure: 'Leave it out for all sessions.' }),
  /** Calls in traces of this user. */
  userId: text({ cure: 'Leave it out for all users.' }),
  /** Calls in traces that have all of these tags. */
  tags: names('tags', "Write it like ['beta']."),
  /** Calls in traces of this environment. */
  environment: text({ cure: 'Leave it out for all.' }),
  /** Calls in traces of this release. */
  release: text({ cure: 'Leave it out for all.' }),
  /** Calls with this status. */
  status: choice<SpanStatus>(SPAN_STATUSES),
  /**
   * Calls recorded on one of these classes, if several classes inherit a method with one key. A call on the class that defines
   * the method has no class in its record: exclude the others with `exceptClasses`.
   */
  classes: names('names of classes', "Write it like ['RefundDesk']."),
  /** Excludes calls recorded on one of these classes. */
  exceptClasses: names('names of classes', "Write it like ['RefundDesk']."),
  /** Calls with this span name; `name` is the name of the test run. */
  spanName: text({ cure: 'Leave it out for all.' }),
  /** Calls of this type. */
  type: choice<SpanType>(SPAN_TYPES),
  /** Calls of this kind. */
  kind: choice<SpanKind>(SPAN_KINDS),
  /** Calls of this level. */
  level: choice<SpanLevel>(SPAN_LEVELS),
  /** Calls whose usage has this model. */
  model: text({ cure: 'Leave it out for all.' }),
  /**
   * Calls in traces whose metadata has all of these keys, each with an equal value. A key may be a path, `'user.plan'`, to a text, a
   * number, true, false or null.
   */
  metadata: option<Readonly<Record<string, unknown>>>({
    takes: 'an object',
    default: undefined,
    accepts: isRecord,
    cure: "Write it like { tenant: 'ann' }.",
  }),
  /**
   * Calls that contain all of this in their name, input, output, error and prompt: words, `"phrases"` in quotation marks, and
   * prefixes such as `refund*`. The newest 10,000 candidates are searched.
   */
  text: text({ cure: 'Leave it out for all.' }),
  /** Calls in traces that took at least this many milliseconds. */
  minDurationMs: amount(),
  /** Calls in traces that took at most this many milliseconds. */
  maxDurationMs: amount(),
  /** Calls in traces whose model calls used at least this many input and output tokens. */
  minTokens: amount(),
  /** Calls in traces whose model calls used at most this many input and output tokens. */
  maxTokens: amount(),
  /** Calls in traces whose model calls cost at least this many dollars, as far as prices are known. */
  minCostUsd: amount(),
  /** Calls in traces whose model calls cost at most this many dollars. */
  maxCostUsd: amount(),
  /** Calls in traces with a score of this name, also on one of their spans. */
  score: text({ cure: 'Leave it out for all.' }),
  /** The score has this value. Needs `score`. */
  scoreIs: option<string | number | boolean>({
    takes: 'a string, a number, true or false',
    default: undefined,
    accepts: (value): value is string | number | boolean =>
      ['string', 'boolean'].includes(typeof value) || Number.isFinite(value),
    cure: "Write it like 'good'.",
  }),
  /** The score is lower than this. Needs `score`. */
  scoreBelow: bound(),
  /** The score is higher than this. Needs `score`. */
  scoreAbove: bound(),
  /** `true`: every call with the key. `false`: one call per trace, the outermost one. */
  everyCall: flag(false),
  /**
   * A sample of the selected calls: `{ size: 100 }`. `by` is `'random'` (the default), `'errors'` (failed calls first) or
   * `'slow'` (longest first). The same `seed` selects the same calls from the same data.
   */
  sample: option<{ readonly size: number; readonly by?: SampleKind; readonly seed?: number }>({
    takes: 'an object with a size',
    default: undefined,
    accepts: (value): value is { size: number; by?: SampleKind; seed?: number } =>
      isRecord(value) &&
      Number.isSafeInteger(value['size']) &&
      [undefined, ...SAMPLE_KINDS].some((kind) => kind === value['by']) &&
      (value['seed'] === undefined || Number.isSafeInteger(value['seed'])),
    cure: `Write it like { size: 100, by: 'random', seed: 1 }; by is one of ${SAMPLE_KINDS.join(', ')}.`,
  }),
};

/** Which stored calls of a key are played. Conditions hold together. */
export type SelectionOptions = GivenOptions<typeof SELECTION_OPTIONS>;

export type ResolvedSelection = ResolvedOptions<typeof SELECTION_OPTIONS>;

/**
 * The selection of these options, as it travels.
 *
 * @param owner what errors call the option before its name, such as `datasets.add.`
 * @throws InvalidOptionError
 */
export function selectionOf(owner: string, options: SelectionOptions): CallSelection {
  return toSelection(resolveOptions(owner, SELECTION_OPTIONS, options));
}

/** The selection as it travels. */
export function toSelection(options: ResolvedSelection): CallSelection {
  const { limit, traceIds, since, until, status, metadata, text, everyCall, sample } = options;
  const { classes, exceptClasses = [] } = options;
  return {
    ...(limit < NO_LIMIT && { limit }),
    ...(traceIds && { trace_ids: [...traceIds] }),
    ...(since !== undefined && { since: new Date(since).toISOString() }),
    ...(until !== undefined && { until: new Date(until).toISOString() }),
    ...(status && { status }),
    ...(classes && { classes: [...classes] }),
    ...(exceptClasses.length > 0 && { except_classes: [...exceptClasses] }),
    ...conditionsOf(options),
    ...(metadata && { metadata: JSON.parse(JSON.stringify(metadata)) as JsonObject }),
    ...(text !== undefined && { text }),
    ...(everyCall && { every_call: true }),
    ...(sample && { sample }),
  };
}

/** Those that a list of traces takes, too. */
function conditionsOf(options: ResolvedSelection): CallSelection {
  const conditions = {
    ...Object.fromEntries(FIELD_NAMES.map((name) => [name, options[FIELD_OPTIONS[name]]])),
    ...{ min_duration_ms: options.minDurationMs, max_duration_ms: options.maxDurationMs },
    ...{ min_tokens: options.minTokens, max_tokens: options.maxTokens },
    ...{ min_cost_usd: options.minCostUsd, max_cost_usd: options.maxCostUsd },
    ...{ score: options.score, score_is: options.scoreIs },
    ...{ score_below: options.scoreBelow, score_above: options.scoreAbove },
  };
  return Object.fromEntries(Object.entries(conditions).filter(([, value]) => value !== undefined));
}

function amount(): Option<number> {
  return option({
    takes: 'a number from 0 up',
    default: undefined,
    accepts: (value): value is number => Number.isFinite(value) && Number(value) >= 0,
    cure: 'Leave it out for any.',
  });
}

function bound(): Option<number> {
  return option({
    takes: 'a number',
    default: undefined,
    accepts: (value): value is number => Number.isFinite(value),
    cure: 'Leave it out for any.',
  });
}

function choice<Value extends string>(choices: readonly Value[]): Option<Value> {
  return option({
    takes: `one of ${choices.map((value) => JSON.stringify(value)).join(', ')}`,
    default: undefined,
    accepts: (value): value is Value => choices.some((one) => one === value),
    cure: 'Leave it out for all.',
  });
}

function names(what: string, cure: string): Option<readonly string[]> {
  return option({
    takes: `a list of ${what}`,
    default: undefined,
    accepts: (value): value is readonly string[] =>
      Array.isArray(value) && value.every((name) => typeof name === 'string' && name.trim() !== ''),
    cure,
  });
}

function moment(): Option<string | Date> {
  return option({
    takes: 'a Date, or a time as ISO 8601 writes it',
    default: undefined,
    accepts: (value): value is string | Date =>
      (typeof value === 'string' || value instanceof Date) && !Number.isNaN(new Date(value).getTime()),
    cure: "Write it like '2026-11-22T05:00:00Z'.",
  });
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && isTraceId(value);
}

function problemOfIds(ids: readonly unknown[]): string {
  return `must be a list of trace ids, UUIDs in lower case, not ${JSON.stringify(ids.find((id) => !isId(id)))}`;
}
