import { isTraceId, SPAN_TYPES, type SpanType } from '@dacapo/protocol';
import {
  type GivenOptions,
  LONGEST_TIMER_MS,
  number,
  oneOf,
  option,
  type ResolvedOptions,
  text,
} from './option.js';

/** How stored calls are played again. */
export const REPLAY_OPTIONS = {
  /** At most this many traces, the newest first. */
  limit: number({
    default: Number.MAX_SAFE_INTEGER,
    from: 0,
    defaultText: 'all traces of the key',
    cure: 'Leave it out for all traces.',
  }),
  /** Only these traces, in this order. */
  traceIds: option<readonly string[]>({
    takes: 'a list of trace ids, UUIDs in lower case',
    default: undefined,
    accepts: (value): value is readonly string[] => Array.isArray(value) && value.every(isId),
    problem: (value) => (Array.isArray(value) ? problemOfIds(value) : undefined),
    cure: 'Write it like [traceId], or leave it out for all traces.',
  }),
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
  /** How long one call may take, its stream included; then its item is an error. */
  timeoutMs: number({ default: 120_000, unit: 'milliseconds', from: 1, to: LONGEST_TIMER_MS }),
};

export type ReplayOptions = GivenOptions<typeof REPLAY_OPTIONS>;
export type ResolvedReplayOptions = ResolvedOptions<typeof REPLAY_OPTIONS>;
export type ReplayMock = ResolvedReplayOptions['mock'];

export type OnMockMiss = 'fail' | 'recorded' | 'run';

function isTypeOrKey(value: unknown): boolean {
  if (typeof value === 'string') return SPAN_TYPES.some((type) => type === value);
  return typeof (value as { key?: unknown } | null)?.key === 'string';
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && isTraceId(value);
}

function problemOfIds(ids: readonly unknown[]): string {
  return `must be a list of trace ids, UUIDs in lower case, not ${JSON.stringify(ids.find((id) => !isId(id)))}`;
}
