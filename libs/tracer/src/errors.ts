/**
 * Base of every error of this package. Compare `code`: it stays the same when a minifier renames classes.
 *
 * Only mistakes of setup and calls that ask the service for an answer (`replay`, `call`, `indexes`, `datasets`) throw these;
 * what goes wrong while recording or delivering reaches `onError` instead.
 */
export abstract class TracerError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }

  /**
   * Recognizes errors of the other build too: one process may load this package by `import` and by `require`. Where a minifier renamed
   * the classes of one of them, only `code` recognizes its errors.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    const { code, name } = value instanceof Error ? (value as Partial<TracerError>) : {};
    if (typeof code !== 'string' || !code.startsWith('TRACER_')) return false;
    return this === TracerError || (name === this.name && /Error$/.test(this.name));
  }
}

/** An option of the constructor or of a call has a value that cannot work. */
export class InvalidOptionError extends TracerError {
  readonly code = 'TRACER_INVALID_OPTION';

  /**
   * @param option its path, such as `delivery.maxQueueBytes`
   * @param problem what is wrong, such as `must be a whole number from 1 up, not -5`
   * @param cure what to write instead, a sentence
   */
  constructor(
    readonly option: string,
    problem: string,
    cure: string,
  ) {
    super(`Option ${option} ${problem}. ${cure}`);
  }
}

/** A call needs the service, and tracing is off. */
export class TracingDisabledError extends TracerError {
  readonly code = 'TRACER_DISABLED';

  constructor(operation: string) {
    super(
      `${operation} needs the service, but this tracer is disabled. Pass a non-blank apiKey (TRACER_API_KEY) and leave enabled true.`,
    );
  }
}
