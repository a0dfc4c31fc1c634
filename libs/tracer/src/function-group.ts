import { SPAN_TYPES, type SpanType } from '@dacapo/protocol';
import { InvalidOptionError } from './errors.js';
import type { Recorder } from './recording/recorder.js';
import { defineSpan } from './recording/span-definition.js';
import type { AnyFunction } from './recording/any-function.js';
import { traceFunction } from './recording/traced-function.js';

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

/** Functions that share one trace function key (SPEC 4.2 `getFunction`). */
export class FunctionGroup {
  /**
   * @internal
   * @throws InvalidOptionError when the key is blank.
   */
  constructor(
    readonly traceFunctionKey: string,
    private readonly recorder: Recorder | undefined,
  ) {
    if (typeof traceFunctionKey !== 'string' || traceFunctionKey.trim() === '') {
      throw new InvalidOptionError(
        'traceFunctionKey',
        'must be a string that is not blank',
        "Name what the function does, such as 'support.answer'.",
      );
    }
  }

  /** The same function, recorded; see `Tracer.withSpan`. */
  withSpan<F extends AnyFunction>(fn: F): F;
  withSpan<F extends AnyFunction>(options: SpanOptions, fn: F): F;
  withSpan<F extends AnyFunction>(...args: [F] | [SpanOptions, F]): F {
    const [options, fn] = args.length === 1 ? [{}, args[0]] : args;
    if (typeof fn !== 'function') {
      throw new InvalidOptionError(
        'fn',
        `must be a function, not ${typeof fn}`,
        'Pass the function itself, not its result.',
      );
    }
    if (options.type !== undefined && !SPAN_TYPES.includes(options.type)) {
      throw new InvalidOptionError(
        'type',
        `is unknown: ${JSON.stringify(options.type)}`,
        `Use one of ${SPAN_TYPES.join(', ')}.`,
      );
    }
    if (this.recorder === undefined) return fn;
    const key = this.traceFunctionKey;
    return traceFunction(
      this.recorder,
      defineSpan({ ...options, key, name: labelOf(options.name, fn.name, key) }),
      fn,
    );
  }
}

function labelOf(...candidates: (string | undefined)[]): string {
  return candidates.find((name) => typeof name === 'string' && name.trim() !== '') as string;
}
