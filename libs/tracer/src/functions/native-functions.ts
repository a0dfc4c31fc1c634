import { isFunctionName } from '@dacapo/protocol';
import { InvalidOptionError } from '../errors.js';
import { type CallOptions, resolveClient } from '../options/call-options.js';
import { recordCall } from '../recording/record-call.js';
import { defineSpan } from '../recording/span-definition.js';
import { FunctionInputError } from './errors.js';
import type { FunctionRunner, NativeFunctionParts } from './function-runner.js';

/** Checks and records calls of native functions. The runner is loaded at the first call. */
export class NativeFunctions {
  /** Private, so that printing it does not show the keys of providers. */
  readonly #parts: NativeFunctionParts;
  #runner: FunctionRunner | undefined;

  constructor(parts: NativeFunctionParts) {
    this.#parts = parts;
  }

  /** Calls a function inside an `llm` span with the function's name as key. */
  async call(name: string, input: object, options: CallOptions): Promise<unknown> {
    if (!isFunctionName(name)) {
      throw new InvalidOptionError(
        'functionName',
        `cannot be ${JSON.stringify(name)}`,
        'Names start with a letter and have letters, digits, ".", "_" and "-".',
      );
    }
    const client = resolveClient(options);
    if (typeof input !== 'object' || (input as object | null) === null || Array.isArray(input)) {
      throw new FunctionInputError(name, 'input', 'must be an object of parameters by name');
    }
    const run = async (): Promise<unknown> => {
      options.signal?.throwIfAborted();
      const { FunctionRunner } = await import('./function-runner.js');
      this.#runner ??= new FunctionRunner(this.#parts);
      return this.#runner.run(name, input, client, options);
    };
    const { recorder } = this.#parts;
    if (recorder === undefined) return run();
    return recordCall(recorder, defineSpan({ key: name, name, type: 'llm' }), run, undefined, [input]);
  }
}
