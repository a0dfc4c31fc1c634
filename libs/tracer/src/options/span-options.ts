import type { FunctionArguments, FunctionOutput } from '../function-types.js';
import { SPAN_KINDS, SPAN_LEVELS, SPAN_TYPES } from '@dacapo/protocol';
import { choice, type GivenOptions, type Option, option, text } from './option.js';

/** How the calls of one function are recorded. */
export const SPAN_OPTIONS = {
  /** Name of the spans. */
  name: text({
    blank: true,
    defaultText: "the function's name, else the key",
    cure: 'Omit it for the name of the function.',
  }),
  /** Type of work that the function does. */
  type: choice(SPAN_TYPES, '`custom`'),
  /** A finer label than the type, for filters. */
  kind: choice(SPAN_KINDS),
  /** Importance of the spans. `getCurrentSpan().setLevel` changes it for one call. */
  level: choice(SPAN_LEVELS),
  /** `false` records no arguments, and the calls cannot be replayed. A function returns what to record instead. */
  captureInput: captured<(args: readonly unknown[]) => unknown>(),
  /** `false` records no result, and the call cannot be mocked. A function returns what to record instead. */
  captureOutput: captured<(output: unknown) => unknown>(),
  /**
   * For side effects: mails, payments, writes. `true`: a replay with `mock: 'marked'` answers inner calls of this function from
   * the recording and does not run it. A function runs in its place instead, with the same arguments and `this`.
   */
  mockOnReplay: option<boolean | ((...args: never[]) => unknown)>({
    takes: 'true, false or a function',
    defaultText: '`false`',
    accepts: (value): value is boolean | ((...args: never[]) => unknown) =>
      typeof value === 'boolean' || typeof value === 'function',
    cure: 'Write mockOnReplay: true if it must not run again in a replay, or pass a function to run instead.',
  }),
};

const { name, type, kind, level } = SPAN_OPTIONS;

/** How a span that `startSpan` opens is recorded. */
export const START_SPAN_OPTIONS = {
  name: { ...name, defaultText: 'the key' },
  type,
  kind,
  level,
  /** Arguments to record as the input. */
  input: option<readonly unknown[]>({
    takes: 'a list of arguments',
    accepts: (value): value is readonly unknown[] => Array.isArray(value),
    cure: 'Write it like input: [question].',
  }),
};

export type StartSpanOptions = GivenOptions<typeof START_SPAN_OPTIONS>;

/** @typeParam F the function that is wrapped */
export interface SpanOptions<F = (...args: unknown[]) => unknown> extends Omit<
  GivenOptions<typeof SPAN_OPTIONS>,
  'captureInput' | 'captureOutput' | 'mockOnReplay'
> {
  /** `false` records no arguments, and the calls cannot be replayed. A function returns what to record instead. */
  captureInput?: boolean | ((args: Readonly<FunctionArguments<F>>) => unknown) | undefined;
  /** `false` records no result, and the call cannot be mocked. A function returns what to record instead. */
  captureOutput?: boolean | ((output: FunctionOutput<F>) => unknown) | undefined;
  /**
   * For side effects: mails, payments, writes. `true`: a replay with `mock: 'marked'` answers inner calls of this function from
   * the recording and does not run it. A function runs in its place instead, with the same arguments and `this`.
   */
  mockOnReplay?: boolean | ((...args: FunctionArguments<F>) => unknown) | undefined;
}

function captured<Mapper extends (...args: never[]) => unknown>(): Option<boolean | Mapper> {
  return option({
    takes: 'true, false or a function',
    defaultText: '`true`',
    accepts: (value): value is boolean | Mapper => typeof value === 'boolean' || typeof value === 'function',
    cure: 'Omit it to record everything, or pass a function that returns what to record.',
  });
}
