import type { Gate } from '@dacapo/evaluation';
import {
  type CallSelection,
  isTraceId,
  type JsonObject,
  SAMPLE_KINDS,
  type SampleKind,
  SPAN_STATUSES,
  SPAN_TYPES,
  type SpanStatus,
  type SpanType,
} from '@dacapo/protocol';
import type { ReplaySource } from '../replay/play-hooks.js';
import type { ReplayItem } from '../replay/replay-result.js';
import {
  callback,
  flag,
  type GivenOptions,
  group,
  LONGEST_TIMER_MS,
  number,
  oneOf,
  type Option,
  option,
  type ResolvedOptions,
  text,
} from './option.js';

export const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** Which stored calls are played. Conditions hold together. */
const SELECTION_OPTIONS = {
  /** At most this many calls, the newest first. */
  limit: number({
    default: NO_LIMIT,
    from: 0,
    defaultText: 'all of the key',
    cure: 'Leave it out for all calls.',
  }),
  /** Only these traces, in this order; any number. */
  traceIds: option<readonly string[]>({
    takes: 'a list of trace ids, UUIDs in lower case',
    default: undefined,
    accepts: (value): value is readonly string[] => Array.isArray(value) && value.every(isId),
    problem: (value) => (Array.isArray(value) ? problemOfIds(value) : undefined),
    cure: 'Write it like [traceId], or leave it out for all traces.',
  }),
  /** Calls that started then or later. */
  since: moment(),
  /** Calls that started before. */
  until: moment(),
  /** Calls in traces of this session. */
  sessionId: text({ cure: 'Leave it out for all sessions.' }),
  /** Calls with this status. */
  status: option<SpanStatus>({
    takes: `one of ${SPAN_STATUSES.map((status) => JSON.stringify(status)).join(', ')}`,
    default: undefined,
    accepts: (value): value is SpanStatus => SPAN_STATUSES.some((status) => status === value),
    cure: 'Leave it out for all.',
  }),
  /** Calls in traces whose metadata has all of these keys, each with an equal value. */
  metadata: option<Readonly<Record<string, unknown>>>({
    takes: 'an object',
    default: undefined,
    accepts: isRecord,
    cure: "Write it like { tenant: 'ann' }.",
  }),
  /** Calls whose input, output, error or prompt contains this text, in any case. The newest 10,000 calls are looked through. */
  text: text({ cure: 'Leave it out for all.' }),
  /** `true`: every call of the key. `false`: of each trace the outermost one alone. */
  everyCall: flag(false),
  /**
   * Some of the calls that the other conditions select: `{ size: 100 }`. `by`: `'random'` (the default), `'errors'`, failed
   * calls first, or `'slow'`, those that took longest. The same `seed` picks the same calls of the same data.
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

/** How stored calls are played again. */
export const REPLAY_OPTIONS = {
  ...SELECTION_OPTIONS,
  /** How many traces are replayed at one time. */
  maxConcurrency: number({ default: 10, from: 1 }),
  /** What the test run is called in the dashboard. */
  name: text({ cure: 'Leave it out for none.', blank: true }),
  /**
   * Which functions below the replayed one do not run, and are answered from the recording instead, by trace function keys
   * from the replayed call down and by arguments. `none`: all run. `marked`: those with `mockOnReplay` do not. `all`: no
   * wrapped function below the replayed one does.
   */
  mock: oneOf('none', 'marked', 'all'),
  /**
   * What becomes of a mocked call that was not recorded with its arguments. `fail` throws `ReplayMockMissError`; `recorded`
   * answers with the call that was recorded at its place, and fails when there is none; `run` runs the function, unless it
   * is marked with `mockOnReplay`: for that, `run` is `recorded`.
   */
  onMockMiss: option<OnMockMiss>({
    takes: 'one of "fail", "recorded", "run"',
    default: undefined,
    defaultText: '`"fail"`; with `mock: \'marked\'` `"recorded"`',
    accepts: (value): value is OnMockMiss => value === 'fail' || value === 'recorded' || value === 'run',
    cure: 'Leave it out for the default.',
  }),
  /**
   * What runs although it is mocked. `['llm']` runs the model, after a change of its prompt, and answers everything else. A
   * function with `mockOnReplay` runs only if its key is named.
   */
  live: option<readonly (SpanType | { readonly key: string })[]>({
    takes: 'a list of span types and keys',
    default: undefined,
    accepts: (value): value is readonly (SpanType | { readonly key: string })[] =>
      Array.isArray(value) && value.every(isTypeOrKey),
    cure: `Write it like ['llm', { key: 'search' }]; the types are ${SPAN_TYPES.join(', ')}.`,
  }),
  /**
   * Whether code inside a replayed call may connect to anything. `deny`: it may not, but inside functions that `live`
   * names; each attempt fails with `NetworkDeniedError` and is listed on the item.
   */
  network: oneOf('allow', 'deny'),
  /** How long one call may take, its stream included; then its item is an error. The service is waited for as long. */
  timeoutMs: number({ default: 120_000, unit: 'milliseconds', from: 1, to: LONGEST_TIMER_MS }),
  /** Decides in place of equality whether two outputs are the same. */
  same: callback<(now: unknown, before: unknown) => boolean>('same: (now, before) => now.id === before.id'),
  /** Paths of the output that may vary, such as `$.createdAt` and `$.items[*].id`. */
  ignore: option<readonly string[]>({
    takes: 'a list of paths',
    default: undefined,
    accepts: (value): value is readonly string[] =>
      Array.isArray(value) && value.every((path) => typeof path === 'string'),
    cure: "Write it like ['$.createdAt'].",
  }),
  /** What the run must keep to pass, such as `{ changed: 0 }`. The result then has `passed` and `failures`. */
  gate: group<Gate>('gate: { changed: 0 }'),
  /**
   * Makes the arguments that the function gets of the recorded ones: for a function whose signature has changed since. What
   * it replaces may be missing in the record.
   */
  adaptArgs: callback<AdaptArgs>('adaptArgs: ([ticket]) => [ticket]'),
  /** Called once, when the run has begun and before the first call, with what one needs to find it or to resume it. */
  onStart: callback<(run: StartedRun) => void>('onStart: ({ testRunUrl }) => …'),
  /** Called with each item as it ends. */
  onItem: callback<(item: ReplayItem) => void>('onItem: (item) => …'),
  /** Which items the result holds: `failed` are those that are not `same`, or that made other calls inside. */
  keep: oneOf('all', 'failed', 'none'),
  /** Ends the run early and tidily: what is under way ends, the run is `interrupted`, and can be resumed. */
  signal: option<AbortSignal>({
    takes: 'an AbortSignal',
    default: undefined,
    accepts: (value): value is AbortSignal => isRecord(value) && typeof value['aborted'] === 'boolean',
    cure: 'Pass the signal of an AbortController.',
  }),
  /** The id of a test run that ended early: what is left of its selection is played. */
  resume: text({ cure: 'Pass the testRunId of the run.' }),
};

/** A run that has begun. */
export interface StartedRun {
  readonly testRunId: string;
  /** The dashboard's page of this run. */
  readonly testRunUrl: string;
  /** How many items were selected. */
  readonly items: number;
  /** Of them, those that were played before the run was resumed. */
  readonly playedBefore: number;
}

type AdaptArgs = (args: unknown[], source: ReplaySource) => unknown[] | Promise<unknown[]>;

/** How stored calls are played again, whatever the function. */
export type ReplayOptions = Omit<GivenOptions<typeof REPLAY_OPTIONS>, 'same' | 'onItem' | 'adaptArgs'>;

/**
 * How stored calls are played again, with what is typed by the function.
 *
 * @typeParam A arguments of the function
 * @typeParam R what it gives: a promise's value, of a stream the list
 */
export interface RunOptions<A extends unknown[] = unknown[], R = unknown> extends ReplayOptions {
  /** Decides in place of equality whether two outputs are the same. */
  same?: ((now: R, before: R) => boolean) | undefined;
  /**
   * Makes the arguments that the function gets of the recorded ones: for a function whose signature has changed since. What
   * it replaces may be missing in the record.
   */
  adaptArgs?: ((args: unknown[], source: ReplaySource) => [...A] | Promise<[...A]>) | undefined;
  /** Called with each item as it ends. */
  onItem?: ((item: ReplayItem<A, R>) => void) | undefined;
}

export type ResolvedReplayOptions = ResolvedOptions<typeof REPLAY_OPTIONS>;
export type ReplayMock = ResolvedReplayOptions['mock'];
export type OnMockMiss = 'fail' | 'recorded' | 'run';

/** The selection as it travels. */
export function toSelection(options: ResolvedReplayOptions): CallSelection {
  const { limit, traceIds, since, until, sessionId, status, metadata, text, everyCall, sample } = options;
  return {
    ...(limit < NO_LIMIT && { limit }),
    ...(traceIds && { trace_ids: [...traceIds] }),
    ...(since !== undefined && { since: new Date(since).toISOString() }),
    ...(until !== undefined && { until: new Date(until).toISOString() }),
    ...(sessionId !== undefined && { session_id: sessionId }),
    ...(status && { status }),
    ...(metadata && { metadata: JSON.parse(JSON.stringify(metadata)) as JsonObject }),
    ...(text !== undefined && { text }),
    ...(everyCall && { every_call: true }),
    ...(sample && { sample }),
  };
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isTypeOrKey(value: unknown): boolean {
  if (typeof value === 'string') return SPAN_TYPES.some((type) => type === value);
  return isRecord(value) && typeof value['key'] === 'string';
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && isTraceId(value);
}

function problemOfIds(ids: readonly unknown[]): string {
  return `must be a list of trace ids, UUIDs in lower case, not ${JSON.stringify(ids.find((id) => !isId(id)))}`;
}
