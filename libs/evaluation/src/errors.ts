/** Base class of this package's errors. Compare `code`: minifiers rename classes. */
export abstract class EvaluationError extends Error {
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
    const { code, name } = value instanceof Error ? (value as Partial<EvaluationError>) : {};
    if (typeof code !== 'string' || !code.startsWith('EVALUATION_')) return false;
    return this === EvaluationError || (name === this.name && /Error$/.test(this.name));
  }
}

/** An argument has an invalid value. */
export class InvalidArgumentError extends EvaluationError {
  readonly code = 'EVALUATION_INVALID_ARGUMENT';

  /**
   * @param argument its path, such as `gate.scores.accuracy.min`
   * @param problem what is wrong, such as `must be between 0 and 1, not 95`
   * @param cure what to write instead, a sentence
   */
  constructor(
    readonly argument: string,
    problem: string,
    cure: string,
  ) {
    super(`${argument} ${problem}. ${cure}`);
  }
}

/** Describes an unexpected value for a message. Short, and never throws. */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.slice(0, 200));
    case 'object':
      return value === null ? 'null' : Array.isArray(value) ? 'a list' : 'an object';
    case 'function':
      return 'a function';
    default:
      return String(value);
  }
}
