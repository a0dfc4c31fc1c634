import type { Evaluators, Gate } from '@dacapo/evaluation';
import { LIMITS, SPAN_TYPES, type SpanType } from '@dacapo/protocol';
import type { ReplayItem, ReplaySource } from '../replay-types.js';
import {
  callback,
  type GivenOptions,
  group,
  isRecord,
  LONGEST_TIMER_MS,
  number,
  oneOf,
  option,
  type ResolvedOptions,
  text,
} from './option.js';

/** Options of a run, wherever its calls come from. */
export const RUN_OPTIONS = {
  /** How many calls run at the same time. */
  maxConcurrency: number({ default: 10, from: 1 }),
  /** The name of the test run in the dashboard. */
  name: text({ cure: 'Omit it for none.', blank: true }),
  /**
   * Which functions inside a replayed call are answered from the recording instead of running. `none`: all run. `marked`: those
   * with `mockOnReplay` are answered. `all`: all wrapped functions are answered. Answers are matched by path of trace function
   * keys and by arguments.
   */
  mock: oneOf('none', 'marked', 'all'),
  /**
   * What to do when a mocked call has no recording with its arguments. `fail` throws `ReplayMockMissError`. `recorded` answers
   * with the next recorded call with the same path, and fails if there is none. `run` runs the function, but for a function with
   * `mockOnReplay`, `run` means `recorded`.
   */
  onMockMiss: option<OnMockMiss>({
    takes: 'one of "fail", "recorded", "run"',
    defaultText: '`"fail"`; with `mock: \'marked\'` `"recorded"`',
    accepts: (value): value is OnMockMiss => value === 'fail' || value === 'recorded' || value === 'run',
    cure: 'Omit it for the default.',
  }),
  /**
   * What runs in spite of `mock`, by span type or key. After a prompt change, `['llm']` runs the model and answers everything
   * else. A function with `mockOnReplay` runs only if you name its key.
   */
  live: option<readonly (SpanType | { readonly key: string })[]>({
    takes: 'a list of span types and keys',
    accepts: (value): value is readonly (SpanType | { readonly key: string })[] =>
      Array.isArray(value) && value.every(isTypeOrKey),
    cure: `Write it like ['llm', { key: 'search' }]; the types are ${SPAN_TYPES.join(', ')}.`,
  }),
  /**
   * Parts of the arguments of calls inside that may differ from the recording, by trace function key: `{ search:
   * ['$[0].requestId'] }`. Paths are written as in `ignore`, from the list of arguments. Equal arguments match first. Calls that
   * match only without these parts answer in recorded order, and `normalized` counts them.
   */
  normalize: option<Readonly<Record<string, readonly string[]>>>({
    takes: 'an object of trace function keys with lists of paths',
    accepts: (value): value is Readonly<Record<string, readonly string[]>> =>
      isRecord(value) && !Array.isArray(value) && Object.values(value).every(hasPaths),
    problem: (value) => {
      if (!isRecord(value) || Array.isArray(value)) return undefined;
      const wrong = Object.keys(value).find((key) => !hasPaths(value[key]));
      return `must have a list of paths for each key, and ${JSON.stringify(wrong)} has none`;
    },
    cure: "Write it like { search: ['$[0].requestId'] }.",
  }),
  /**
   * What `Date` shows inside a replayed call. `recorded`: it starts at the time of the recorded call and continues in real time.
   * Model calls that run, evaluators and all other code see the real time, and so does an item without a recorded call, which has
   * a note.
   */
  clock: oneOf('real', 'recorded'),
  /**
   * Whether code inside a replayed call may connect to the network. `deny`: only functions named in `live` may; any other attempt
   * fails with `NetworkDeniedError` and is listed on the item.
   */
  network: oneOf('allow', 'deny'),
  /**
   * Timeout in ms for each call (stream included), each evaluator, and the service. A call that exceeds it becomes an `error`
   * item. The service needs 4000 or more to confirm the result.
   */
  timeoutMs: number({ default: 120_000, unit: 'milliseconds', from: 1, to: LONGEST_TIMER_MS }),
  /** Your own comparison of two outputs, instead of equality. */
  same: callback<(now: unknown, before: unknown) => boolean>('same: (now, before) => now.id === before.id'),
  /** Paths that may differ: `$.createdAt` and `$.items[*].id` in outputs, `$error.retryAfter` in errors. */
  ignore: option<readonly string[]>({
    takes: 'a list of paths',
    accepts: isTextList,
    cure: "Write it like ['$.createdAt'].",
  }),
  /**
   * Evaluators that score each item: a list, or a record by name. The result then has `scores`. They score the baseline too, so
   * that scores have a difference.
   */
  evaluators: option<Evaluators>({
    takes: 'a list or a record of functions',
    accepts: (value): value is Evaluators => isRecord(value) || Array.isArray(value),
    cure: 'Write it like [exact(), latency({ maxMs: 2000 })], or { exact: ({ output, expected }) => output === expected }.',
  }),
  /**
   * What outcomes are compared with. `recording`: the recorded or expected outcomes. `accepted`: outcomes that a person accepted,
   * if any. `{ testRunId }`: the outcomes of an earlier run for the same items. `self`: a second call of the same function; the
   * result's `noise` shows how much unchanged code differs. `{ function: previousVersion }`: that function also replays each call
   * in this process, so that durations can be compared; `name` is optional.
   */
  baseline: option<RunBaseline, 'recording'>({
    takes: 'one of "recording", "accepted", "self", { testRunId }, or { function }',
    default: 'recording',
    accepts: isBaseline,
    cure: 'Write it like \'accepted\', { testRunId: run.testRunId }, or { function: previousVersion }. Omit it for "recording".',
  }),
  /**
   * How often each item runs. With more than one repetition the result has `repeats`, and items whose repetitions disagree are
   * `flaky`.
   */
  repeat: number({ default: 1, from: 1, to: LIMITS.repetitions }),
  /** The gate that passes or fails the run, such as `{ changed: 0 }`. The result then has `passed` and `failures`. */
  gate: group<Gate>('gate: { changed: 0 }'),
  /** Converts the recorded arguments, for a function whose signature has changed. The recording may lack what it replaces. */
  adaptArgs: callback<AdaptArgs>('adaptArgs: ([ticket]) => [ticket]'),
  /** Called once, before the first call, with the ids that you need to find or resume the run. */
  onStart: callback<(run: StartedRun) => void>('onStart: ({ testRunUrl }) => …'),
  /** Called with each item when it is done. */
  onItem: callback<(item: ReplayItem) => void>('onItem: (item) => …'),
  /**
   * Which items the result contains. `failed`: those that are not `same`, that made other calls inside, or that have a score that
   * is false or lower than before.
   */
  keep: oneOf('all', 'failed', 'none'),
  /** Ends the run early: running calls finish, and the run is `interrupted` and can be resumed. */
  signal: option<AbortSignal>({
    takes: 'an AbortSignal',
    accepts: (value): value is AbortSignal => isRecord(value) && typeof value['aborted'] === 'boolean',
    cure: 'Pass the signal of an AbortController.',
  }),
  /** The id of an interrupted test run; its remaining calls are replayed. */
  resume: text({ cure: 'Pass the testRunId of the run.' }),
};

/** A run that has begun. */
export interface StartedRun {
  readonly testRunId: string;
  /** The dashboard's page of this run; empty if no service stores it. */
  readonly testRunUrl: string;
  /** How many items there are. */
  readonly items: number;
  /** Number of calls: `items` times `repeat`. */
  readonly calls: number;
  /** How many of these calls were replayed before the run was resumed. */
  readonly replayedBefore: number;
}

export type RunBaseline =
  'recording' | 'accepted' | 'self' | { readonly testRunId: string } | FunctionBaseline;

/** Another version of the function, which replays each call next to the candidate, with the same arguments and mocks. */
export interface FunctionBaseline {
  readonly function: (...args: never[]) => unknown;
  /** What reports call it. Default: the function's own name. */
  readonly name?: string | undefined;
}

type AdaptArgs = (args: unknown[], source: ReplaySource) => unknown[] | Promise<unknown[]>;

/** What is typed by the function. */
type Typed = 'same' | 'onItem' | 'adaptArgs' | 'evaluators';

/** How calls are replayed and judged, independent of the function. */
export type UntypedRunOptions = Omit<GivenOptions<typeof RUN_OPTIONS>, Typed>;

/**
 * How calls are replayed and judged, typed by the function.
 *
 * @typeParam A arguments of the function
 * @typeParam R what it returns: a promise's value, or the list of a stream's items
 */
export interface ExecutionOptions<A extends unknown[] = unknown[], R = unknown> extends UntypedRunOptions {
  /**
   * Evaluators that score each item: a list, or a record by name. The result then has `scores`. They score the baseline too, so
   * that scores have a difference.
   */
  evaluators?: Evaluators<A, R> | undefined;
  /** Your own comparison of two outputs, instead of equality. */
  same?: ((now: R, before: R) => boolean) | undefined;
  /** Converts the recorded arguments, for a function whose signature has changed. The recording may lack what it replaces. */
  adaptArgs?: ((args: unknown[], source: ReplaySource) => [...A] | Promise<[...A]>) | undefined;
  /** Called with each item when it is done. */
  onItem?: ((item: ReplayItem<A, R>) => void) | undefined;
}

export type ResolvedRunOptions = ResolvedOptions<typeof RUN_OPTIONS>;
export type ReplayMock = ResolvedRunOptions['mock'];
export type OnMockMiss = 'fail' | 'recorded' | 'run';

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function hasPaths(value: unknown): value is readonly string[] {
  return isTextList(value) && value.length > 0;
}

function isTypeOrKey(value: unknown): boolean {
  if (typeof value === 'string') return SPAN_TYPES.some((type) => type === value);
  return isRecord(value) && typeof value['key'] === 'string';
}

function isBaseline(value: unknown): value is RunBaseline {
  if (isRecord(value) && 'function' in value) {
    const { function: fn, name, ...others } = value;
    const isNamed = name === undefined || (typeof name === 'string' && name.trim() !== '');
    return typeof fn === 'function' && isNamed && Object.keys(others).length === 0;
  }
  if (isRecord(value)) return typeof value['testRunId'] === 'string' && Object.keys(value).length === 1;
  return value === 'recording' || value === 'accepted' || value === 'self';
}
