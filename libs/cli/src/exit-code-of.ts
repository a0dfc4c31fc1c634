import { CliError, codeOf } from './errors.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';

/** Of errors of the packages that an application brings, as `replay` and `eval` meet them. */
const EXIT_CODES_OF: Readonly<Record<string, ExitCode>> = {
  TRACER_SERVICE_UNREACHABLE: EXIT_CODES.unreachable,
  TRACER_DISABLED: EXIT_CODES.usage,
  TRACER_INVALID_OPTION: EXIT_CODES.usage,
  TRACER_RESUME_REFUSED: EXIT_CODES.usage,
  EVALUATION_INVALID_ARGUMENT: EXIT_CODES.usage,
  NESTJS_METHOD_FOR_KEY: EXIT_CODES.usage,
  NESTJS_NOT_TRACED: EXIT_CODES.usage,
};

/** What the command exits with after an error, of whichever package. */
export function exitCodeOf(error: unknown): ExitCode {
  return error instanceof CliError
    ? error.exitCode
    : (EXIT_CODES_OF[codeOf(error) ?? ''] ?? EXIT_CODES.failure);
}
