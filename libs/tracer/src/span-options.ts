import { SPAN_TYPES, type SpanType } from '@dacapo/protocol';
import { InvalidOptionError } from './errors.js';
import { refuseUnknownOptions } from './option-names.js';

/** How the calls of one function are recorded. */
export interface SpanOptions {
  /** Default: the function's own name, else the trace function key. */
  name?: string | undefined;
  /** Default: `custom`. */
  type?: SpanType | undefined;
  /** `false`: arguments are not recorded, and the calls cannot be replayed. A function: what is recorded instead. */
  captureInput?: boolean | ((args: readonly unknown[]) => unknown) | undefined;
  /** `false`: the result is not recorded. A function: what is recorded instead. */
  captureOutput?: boolean | ((output: unknown) => unknown) | undefined;
  /**
   * `true`: a replay with `mock: 'marked'` does not run this function when it is called below the replayed one, and gives
   * what the original call gave. For side effects: mails, payments, writes. Default: false.
   */
  mockOnReplay?: boolean | undefined;
}

const NAMES = {
  name: true,
  type: true,
  captureInput: true,
  captureOutput: true,
  mockOnReplay: true,
} satisfies Record<keyof SpanOptions, true>;

/** @throws InvalidOptionError when a name is unknown, or a type, which a misspelt word would switch off unseen. */
export function checkSpanOptions(options: SpanOptions): void {
  refuseUnknownOptions('', options, Object.keys(NAMES));
  if (options.type !== undefined && !SPAN_TYPES.includes(options.type)) {
    throw new InvalidOptionError(
      'type',
      `is unknown: ${JSON.stringify(options.type)}`,
      `Use one of ${SPAN_TYPES.join(', ')}.`,
    );
  }
}
