/** Base of every error of this package. Compare `code`: it stays the same when a minifier renames classes. */
export abstract class NestjsTracerError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }

  /**
   * Also recognizes errors of the other build, because a process may load this package by `import` and by `require`. If a
   * minifier renamed the classes of one build, only `code` recognizes its errors.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    const { code, name } = value instanceof Error ? (value as Partial<NestjsTracerError>) : {};
    if (typeof code !== 'string' || !code.startsWith('NESTJS_')) return false;
    return this === NestjsTracerError || (name === this.name && /Error$/.test(this.name));
  }
}

/** An option of the module or of a decorator has an invalid value. */
export class InvalidModuleOptionError extends NestjsTracerError {
  readonly code = 'NESTJS_INVALID_OPTION';

  /** @param cure a sentence that says what to write instead */
  constructor(
    readonly option: string,
    problem: string,
    cure: string,
  ) {
    super(`Option ${option} ${problem}. ${cure}`);
  }
}

/** A decorator of this package is in a place where it cannot work. */
export class MisplacedDecoratorError extends NestjsTracerError {
  readonly code = 'NESTJS_MISPLACED_DECORATOR';

  constructor(place: string, problem: string, cure: string) {
    super(`@${place} ${problem}. ${cure}`);
  }
}
