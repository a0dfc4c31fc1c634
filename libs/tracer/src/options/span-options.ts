import type { ArgumentsOf, OutputOf } from '../function-types.js';
import { SPAN_TYPES, type SpanType } from '@dacapo/protocol';
import { type GivenOptions, type Option, option, text } from './option.js';

/** How the calls of one function are recorded. */
export const SPAN_OPTIONS = {
  /** What its spans are called. */
  name: text({
    blank: true,
    defaultText: "the function's name, else the key",
    cure: 'Leave it out for the name of the function.',
  }),
  /** What kind of work it does. */
  type: option<SpanType>({
    takes: `one of ${SPAN_TYPES.join(', ')}`,
    default: undefined,
    defaultText: '`custom`',
    accepts: (value): value is SpanType => SPAN_TYPES.some((type) => type === value),
    cure: `Use one of ${SPAN_TYPES.join(', ')}.`,
  }),
  /** `false`: arguments are not recorded, and the calls cannot be replayed. A function: what is recorded instead. */
  captureInput: captured<(args: readonly unknown[]) => unknown>(),
  /** `false`: the result is not recorded, and the call cannot be mocked. A function: what is recorded instead. */
  captureOutput: captured<(output: unknown) => unknown>(),
  /**
   * `true`: a replay with `mock: 'marked'` does not run this function when it is called below the replayed one, and gives
   * what the original call gave. For side effects: mails, payments, writes. A function: what runs in its place then, with
   * the same arguments and the same `this`.
   */
  mockOnReplay: option<boolean | ((...args: never[]) => unknown)>({
    takes: 'true, false or a function',
    default: undefined,
    defaultText: '`false`',
    accepts: (value): value is boolean | ((...args: never[]) => unknown) =>
      typeof value === 'boolean' || typeof value === 'function',
    cure: 'Write mockOnReplay: true for what must not happen again in a replay, or give what happens in its place.',
  }),
};

/** @typeParam F the function that is wrapped */
export interface SpanOptions<F = (...args: unknown[]) => unknown> extends Omit<
  GivenOptions<typeof SPAN_OPTIONS>,
  'captureInput' | 'captureOutput' | 'mockOnReplay'
> {
  /** `false`: arguments are not recorded, and the calls cannot be replayed. A function: what is recorded instead. */
  captureInput?: boolean | ((args: Readonly<ArgumentsOf<F>>) => unknown) | undefined;
  /** `false`: the result is not recorded, and the call cannot be mocked. A function: what is recorded instead. */
  captureOutput?: boolean | ((output: OutputOf<F>) => unknown) | undefined;
  /**
   * `true`: a replay with `mock: 'marked'` does not run this function when it is called below the replayed one, and gives
   * what the original call gave. For side effects: mails, payments, writes. A function: what runs in its place then, with
   * the same arguments and the same `this`.
   */
  mockOnReplay?: boolean | ((...args: ArgumentsOf<F>) => unknown) | undefined;
}

function captured<Mapper extends (...args: never[]) => unknown>(): Option<boolean | Mapper> {
  return option({
    takes: 'true, false or a function',
    default: undefined,
    defaultText: '`true`',
    accepts: (value): value is boolean | Mapper => typeof value === 'boolean' || typeof value === 'function',
    cure: 'Leave it out to record all, or give a function of what is recorded instead.',
  });
}
