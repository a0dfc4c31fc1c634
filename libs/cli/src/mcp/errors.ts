import { CliError } from '../errors.js';
import { EXIT_CODES } from '../exit-codes.js';

/** A tool was called with something that does not exist here, or that it may not do. */
export class ToolRefusedError extends CliError {
  readonly code = 'CLI_TOOL_REFUSED';
  override readonly exitCode = EXIT_CODES.usage;
}
