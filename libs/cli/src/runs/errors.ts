import { CliError } from '../errors.js';

/** A run has no decision that CI could obey. */
export class RunUndecidedError extends CliError {
  readonly code = 'CLI_RUN_UNDECIDED';

  /** @param result why, such as `no gate` */
  constructor(result: string) {
    super(`The run has no decision: ${result}. Finish it, or replay it with a gate.`);
  }
}
