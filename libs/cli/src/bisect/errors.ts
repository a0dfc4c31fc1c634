import { CliError } from '../errors.js';

/** No single commit was found. */
export class BisectUndecidedError extends CliError {
  readonly code = 'CLI_BISECT_UNDECIDED';

  /** @param cure a sentence */
  constructor(problem: string, cure: string) {
    super(`${problem.replace(/\.$/, '')}. ${cure}`);
  }
}
