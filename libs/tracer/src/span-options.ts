import { SPAN_TYPES, type SpanType } from '@dacapo/protocol';
import { InvalidOptionError } from './errors.js';
import { refuseUnknownOptions } from './option-names.js';
import { describe } from './option-values.js';

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

export const SPAN_OPTION_NAMES: readonly string[] = Object.keys(NAMES);

/** @throws InvalidOptionError when a name is unknown, or a value cannot work, which would switch it off unseen. */
export function checkSpanOptions(options: SpanOptions): void {
  refuseUnknownOptions('', options, SPAN_OPTION_NAMES);
  const wrong = findWrongSpanOption(options);
  if (wrong !== undefined) throw new InvalidOptionError(wrong.name, wrong.problem, wrong.cure);
}

/** The first option whose value cannot work, what is wrong with it and what to write instead. */
export function findWrongSpanOption(
  options: SpanOptions,
): { readonly name: string; readonly problem: string; readonly cure: string } | undefined {
  const { name, type, captureInput, captureOutput, mockOnReplay } = options;
  if (name !== undefined && typeof name !== 'string') {
    return { name: 'name', problem: `must be a string, not ${describe(name)}`, cure: CURES.name };
  }
  if (type !== undefined && !SPAN_TYPES.includes(type)) {
    const cure = `Use one of ${SPAN_TYPES.join(', ')}.`;
    return { name: 'type', problem: `is unknown: ${describe(type)}`, cure };
  }
  for (const [option, value] of Object.entries({ captureInput, captureOutput })) {
    if (value === undefined || typeof value === 'boolean' || typeof value === 'function') continue;
    const problem = `must be true, false or a function, not ${describe(value)}`;
    return { name: option, problem, cure: CURES.capture };
  }
  if (mockOnReplay !== undefined && typeof mockOnReplay !== 'boolean') {
    const problem = `must be true or false, not ${describe(mockOnReplay)}`;
    return { name: 'mockOnReplay', problem, cure: CURES.mockOnReplay };
  }
  return undefined;
}

const CURES = {
  name: 'Leave it out for the name of the function.',
  capture: 'Leave it out to record all, or give a function of what is recorded instead.',
  mockOnReplay: 'Write mockOnReplay: true for what must not happen again in a replay.',
};
