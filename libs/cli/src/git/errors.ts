import { CliError } from '../errors.js';
import { EXIT_CODES } from '../exit-codes.js';

/** The folder is in no git repository, a commit does not exist, or git failed. */
export class GitError extends CliError {
  readonly code = 'CLI_GIT';
  override readonly exitCode = EXIT_CODES.usage;

  /** @param cure a sentence */
  constructor(problem: string, cure: string) {
    super(`${problem.replace(/\.$/, '')}. ${cure}`);
  }
}
