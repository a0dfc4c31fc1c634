import type { Evaluators, Gate } from '@dacapo/evaluation';
import { LIMITS, SPAN_TYPES, type SpanType } from '@dacapo/protocol';
import type { ReplaySource } from '../replay/play-hooks.js';
import type { ReplayItem } from '../replay/replay-result.js';
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

/** How calls are played and judged, wherever they come from. */
export const RUN_OPTIONS = {
  /** How many calls are played at one time. */
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
   * Which parts of the arguments of calls inside may differ from the recorded ones, by trace function key: paths as in `ignore`, from
   * the list of arguments. `{ search: ['$[0].requestId'] }`. Equal arguments come first; calls that match after normalizing answer
   * in recorded order, and are counted in `normalized`.
   */
  normalize: option<Readonly<Record<string, readonly string[]>>>({
    takes: 'an object of trace function keys and lists of paths',
    default: undefined,
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
   * What `Date` shows inside a replayed call. `recorded`: the time of the recorded call, which goes on in real time; model calls that
   * run, evaluators and everything else see the real time. An item without a recorded call has the real time, and a note.
   */
  clock: oneOf('real', 'recorded'),
  /**
   * Whether code inside a replayed call may connect to anything. `deny`: it may not, but inside functions that `live`
   * names; each attempt fails with `NetworkDeniedError` and is listed on the item.
   */
  network: oneOf('allow', 'deny'),
  /**
   * How long one call may take, its stream included, and how long one evaluator; then the item is an error. The service is
   * waited for as long, also at the end of a run: allow it 4000 or more to confirm the result.
   */
  timeoutMs: number({ default: 120_000, unit: 'milliseconds', from: 1, to: LONGEST_TIMER_MS }),
  /** Decides in place of equality whether two outputs are the same. */
  same: callback<(now: unknown, before: unknown) => boolean>('same: (now, before) => now.id === before.id'),
  /** Paths that may vary: of the output `$.createdAt` and `$.items[*].id`, of an error `$error.retryAfter`. */
  ignore: option<readonly string[]>({
    takes: 'a list of paths',
    default: undefined,
    accepts: isListOfTexts,
    cure: "Write it like ['$.createdAt'].",
  }),
  /**
   * What judges each item: a list, or a record of names. The result then has `scores`. What was recorded is judged too, so
   * that scores have a difference.
   */
  evaluators: option<Evaluators>({
    takes: 'a list or a record of functions',
    default: undefined,
    accepts: (value): value is Evaluators => isRecord(value) || Array.isArray(value),
    cure: 'Write it like [exact(), latency({ maxMs: 2000 })], or { exact: ({ output, expected }) => output === expected }.',
  }),
  /**
   * What outcomes are compared with. `recording`: the recorded ones, or what a dataset expects. `accepted`: what a person
   * accepted, where somebody did. `{ testRunId }`: what an earlier run gave for the same items. `self`: each call is replayed
   * twice and compared with itself; the result's `noise` tells how much unchanged code differs. `{ function: previousVersion }`:
   * that function replays each call too, beside the candidate, so that durations can be compared; `name` is optional.
   */
  baseline: option<RunBaseline, 'recording'>({
    takes: 'one of "recording", "accepted", "self", { testRunId }, or { function }',
    default: 'recording',
    accepts: isBaseline,
    cure: 'Write it like \'accepted\', { testRunId: run.testRunId }, or { function: previousVersion }. Leave it out for "recording".',
  }),
  /** How often each item is played. More than once, the result has `repeats`, and items that disagree are `flaky`. */
  repeat: number({ default: 1, from: 1, to: LIMITS.repetitions }),
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
  /**
   * Which items the result holds: `failed` are those that are not `same`, that made other calls inside, or that have a score
   * which is false or less than before.
   */
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
  /** The dashboard's page of this run; empty where no service stores it. */
  readonly testRunUrl: string;
  /** How many items there are. */
  readonly items: number;
  /** How often items are played: with `repeat`, several times each. */
  readonly playings: number;
  /** Of these playings, those before the run was resumed. */
  readonly playedBefore: number;
}

export type RunBaseline =
  'recording' | 'accepted' | 'self' | { readonly testRunId: string } | FunctionBaseline;

/** Another version of the function, which replays each call beside the candidate, with the same arguments and mocks. */
export interface FunctionBaseline {
  readonly function: (...args: never[]) => unknown;
  /** What reports call it. Default: the function's own name. */
  readonly name?: string | undefined;
}

type AdaptArgs = (args: unknown[], source: ReplaySource) => unknown[] | Promise<unknown[]>;

/** What is typed by the function. */
type Typed = 'same' | 'onItem' | 'adaptArgs' | 'evaluators';

/** How calls are played and judged, whatever the function. */
export type UntypedRunOptions = Omit<GivenOptions<typeof RUN_OPTIONS>, Typed>;

/**
 * How calls are played and judged, with what is typed by the function.
 *
 * @typeParam A arguments of the function
 * @typeParam R what it gives: a promise's value, of a stream the list
 */
export interface PlayOptions<A extends unknown[] = unknown[], R = unknown> extends UntypedRunOptions {
  /**
   * What judges each item: a list, or a record of names. The result then has `scores`. What was recorded is judged too, so
   * that scores have a difference.
   */
  evaluators?: Evaluators<A, R> | undefined;
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

export type ResolvedRunOptions = ResolvedOptions<typeof RUN_OPTIONS>;
export type ReplayMock = ResolvedRunOptions['mock'];
export type OnMockMiss = 'fail' | 'recorded' | 'run';

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function hasPaths(value: unknown): value is readonly string[] {
  return isListOfTexts(value) && value.length > 0;
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
