import { CliError, errorCode } from './errors.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';

/** For errors of the packages that the application brings; `replay` and `eval` meet them. */
const PACKAGE_EXIT_CODES: Readonly<Record<string, ExitCode>> = {
  TRACER_SERVICE_UNREACHABLE: EXIT_CODES.unreachable,
  TRACER_DISABLED: EXIT_CODES.usage,
  TRACER_INVALID_OPTION: EXIT_CODES.usage,
  TRACER_RESUME_REFUSED: EXIT_CODES.usage,
  EVALUATION_INVALID_ARGUMENT: EXIT_CODES.usage,
  NESTJS_METHOD_FOR_KEY: EXIT_CODES.usage,
  NESTJS_NOT_TRACED: EXIT_CODES.usage,
};

/** The exit code for an error of any package. */
export function exitCodeFor(error: unknown): ExitCode {
  return error instanceof CliError
    ? error.exitCode
    : (PACKAGE_EXIT_CODES[errorCode(error) ?? ''] ?? EXIT_CODES.failure);
}
