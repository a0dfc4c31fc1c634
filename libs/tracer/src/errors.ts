/**
 * Base class of this package's errors. Compare `code`, because minifiers rename classes.
 *
 * These errors are thrown only for mistakes in the setup, and by calls that need an answer of the service (`replay`, `call`, `indexes`,
 * `datasets`). Problems while recording or delivering are reported to `onError` instead.
 */
export abstract class TracerError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }

  /**
   * Also recognizes errors of the other build, because a process may load this package by both `import` and `require`. If a minifier
   * renamed the classes of one build, only `code` recognizes its errors.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    const { code, name } = value instanceof Error ? (value as Partial<TracerError>) : {};
    if (typeof code !== 'string' || !code.startsWith('TRACER_')) return false;
    return this === TracerError || (name === this.name && /Error$/.test(this.name));
  }
}

/** An option of the constructor or of a call has an invalid value. */
export class InvalidOptionError extends TracerError {
  readonly code = 'TRACER_INVALID_OPTION';

  /**
   * @param option its path, such as `delivery.maxQueueBytes`
   * @param problem what is wrong, such as `must be a whole number of at least 1, not -5`
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
      `${operation} needs the service, but this tracer is disabled. Pass a non-blank apiKey (TRACER_API_KEY) and do not set enabled to false.`,
    );
  }
}
