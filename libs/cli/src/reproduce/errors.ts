import { CliError } from '../errors.js';
import { EXIT_CODES } from '../exit-codes.js';

/** The trace has no failed call whose arguments are recorded. */
export class NoFailedCallError extends CliError {
  readonly code = 'CLI_NO_FAILED_CALL';
  override readonly exitCode = EXIT_CODES.nothingToReplay;

  /** @param problem a clause about the trace */
  constructor(traceId: string, problem: string) {
    super(`Trace ${traceId} ${problem}. List its calls with \`dacapo traces show ${traceId}\`.`);
  }
}

/** A file that would be written is there. */
export class FileExistsError extends CliError {
  readonly code = 'CLI_FILE_EXISTS';

  constructor(file: string) {
    super(`${file} exists, and nothing was written. Pass --name for another test, or delete the file.`);
  }
}

/** The written test does not fail as the recorded call did. */
export class NotReproducedError extends CliError {
  readonly code = 'CLI_NOT_REPRODUCED';

  constructor(reason: string) {
    super(`Not reproduced: ${reason}`);
  }
}
