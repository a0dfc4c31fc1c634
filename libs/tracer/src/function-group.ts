import { InvalidOptionError } from './errors.js';
import { resolveOptions } from './options/check-options.js';
import { SPAN_OPTIONS, type SpanOptions, type StartSpanOptions } from './options/span-options.js';
import { type ManualSpan, startManualSpan } from './recording/manual-span.js';
import type { Recorder } from './recording/recorder.js';
import { type AnyFunction, defineSpan, readRecordedArguments } from './recording/span-definition.js';
import { traceFunction, untracedFunction } from './recording/record-call.js';

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
        "Name the task of the function, such as 'support.answer'.",
      );
    }
  }

  /** Wraps a function; see `Tracer.withSpan`. */
  withSpan<F extends AnyFunction>(fn: F): F;
  withSpan<F extends AnyFunction>(options: SpanOptions<NoInfer<F>>, fn: F): F;
  withSpan(...args: [AnyFunction] | [SpanOptions, AnyFunction]): AnyFunction {
    const [options, fn] = args.length === 1 ? [{}, args[0]] : args;
    if (typeof fn !== 'function') {
      throw new InvalidOptionError(
        'fn',
        `must be a function, not ${typeof fn}`,
        'Pass the function itself, not its result.',
      );
    }
    resolveOptions('', SPAN_OPTIONS, options);
    if (this.recorder === undefined && (options.mockOnReplay ?? false) === false) return fn;
    const key = this.traceFunctionKey;
    const name = chooseLabel(options.name, fn.name, key);
    const definition = defineSpan({ ...options, key, name, recordedArguments: readRecordedArguments(fn) });
    return this.recorder === undefined
      ? untracedFunction(definition, fn)
      : traceFunction(this.recorder, definition, fn);
  }

  /** Opens a span that you end yourself; see `Tracer.startSpan`. */
  startSpan(options: StartSpanOptions = {}): ManualSpan {
    return startManualSpan(this.recorder, this.traceFunctionKey, options);
  }
}

function chooseLabel(...candidates: (string | undefined)[]): string {
  return candidates.find((name) => typeof name === 'string' && name.trim() !== '') as string;
}
