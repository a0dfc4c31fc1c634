/**
 * Base of every error of this package. Compare `code`, not the class: two copies of the package may be loaded.
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
