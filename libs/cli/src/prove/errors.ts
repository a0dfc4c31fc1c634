import { CliError } from '../errors.js';

/** Something is not shown: the printed report has the details. */
export class NotProvedError extends CliError {
  readonly code = 'CLI_NOT_PROVED';

  constructor(names: readonly string[]) {
    super(`Not proved: ${names.join(', ')}. The report above says what is missing.`);
  }
}

/** A proof does not hold for this checkout: the printed report has the details. */
export class ProofFailedError extends CliError {
  readonly code = 'CLI_PROOF_FAILED';

  constructor(failed: number, all: number) {
    super(`${failed} of ${all} proofs failed the check. The report above says why.`);
  }
}

/** There is nothing to prove or to check. */
export class NothingToProveError extends CliError {
  readonly code = 'CLI_NOTHING_TO_PROVE';

  /** @param cure a sentence */
  constructor(problem: string, cure: string) {
    super(`${problem}. ${cure}`);
  }
}
