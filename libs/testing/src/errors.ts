/** Base of the errors of this package. Compare `code`: it stays the same when a minifier renames classes. */
export abstract class TestingError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** An option, a name or a mode is invalid, or the test is not set up. */
export class CassetteSetupError extends TestingError {
  readonly code = 'TESTING_SETUP';
}

/** A cassette is missing, damaged, or cannot be written. */
export class CassetteFileError extends TestingError {
  readonly code = 'TESTING_CASSETTE_FILE';

  /** @param file its path */
  constructor(
    readonly file: string,
    problem: string,
    cure: string,
  ) {
    super(`The cassette ${file} ${problem}. ${cure}`);
  }
}

/** The code called what the cassette cannot answer. */
export class CassetteMissError extends TestingError {
  readonly code = 'TESTING_CASSETTE_MISS';
  /** Private, because runners print the fields of an error next to its message. */
  readonly #misses: readonly string[];

  /** @param misses a text for each call that was not answered */
  constructor(
    readonly cassette: string,
    misses: readonly string[],
    options?: { cause?: unknown },
  ) {
    super(`The cassette ${JSON.stringify(cassette)} cannot answer:\n${misses.join('\n')}`, options);
    this.#misses = misses;
  }

  /** A text for each call that was not answered. */
  get misses(): readonly string[] {
    return this.#misses;
  }
}

/** The recorded failure still occurs, or nothing shows that it does not. */
export class CassetteNotFixedError extends TestingError {
  readonly code = 'TESTING_NOT_FIXED';
}

/** An assertion function failed. */
export class CassetteAssertionError extends TestingError {
  readonly code = 'TESTING_ASSERTION';
}
