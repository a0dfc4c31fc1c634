/** Base of every error of this package. Compare `code`, not the class: two copies of the package may be loaded. */
export abstract class NestjsTracerError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** An option of the module or of a decorator has a value that cannot work. */
export class InvalidModuleOptionError extends NestjsTracerError {
  readonly code = 'NESTJS_INVALID_OPTION';

  /** @param cure what to write instead, a sentence */
  constructor(
    readonly option: string,
    problem: string,
    cure: string,
  ) {
    super(`Option ${option} ${problem}. ${cure}`);
  }
}

/** A decorator of this package stands where it cannot work. */
export class MisplacedDecoratorError extends NestjsTracerError {
  readonly code = 'NESTJS_MISPLACED_DECORATOR';

  constructor(place: string, problem: string, cure: string) {
    super(`@${place} ${problem}. ${cure}`);
  }
}
