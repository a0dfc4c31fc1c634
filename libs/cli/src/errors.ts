import { EXIT_CODES, type ExitCode } from './exit-codes.js';

/** Base class of the CLI's errors. The message ends with what to do; `code` is stable across releases. */
export abstract class CliError extends Error {
  abstract readonly code: string;
  readonly exitCode: ExitCode = EXIT_CODES.failure;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The command line names a command, an option or a value that does not exist. */
export class UsageError extends CliError {
  readonly code = 'CLI_USAGE';
  override readonly exitCode = EXIT_CODES.usage;

  /** @param command the message refers to its `--help` */
  constructor(
    private readonly problem: string,
    command = 'dacapo',
  ) {
    super(`${problem} See \`${command} --help\`.`);
  }

  /** The same error, referring to the help of `command`. */
  of(command: string): UsageError {
    return new UsageError(this.problem, command);
  }
}

/** The command needs the service, and no API key is set. */
export class ApiKeyMissingError extends CliError {
  readonly code = 'CLI_API_KEY_MISSING';
  override readonly exitCode = EXIT_CODES.usage;

  constructor() {
    super(
      'No API key. Set TRACER_API_KEY or pass --api-key: `dacapo serve` prints one on its first start, ' +
        'and the dashboard creates more.',
    );
  }
}

/** The service did not answer, or not in time. */
export class ServiceUnreachableError extends CliError {
  readonly code = 'CLI_SERVICE_UNREACHABLE';
  override readonly exitCode = EXIT_CODES.unreachable;

  constructor(url: string, options: { cause: unknown }) {
    const reason = describeCause(options.cause);
    const cure =
      reason === 'ERR_SSL_WRONG_VERSION_NUMBER'
        ? `The server there does not support https. Write ${url.replace(/^https/, 'http')}.`
        : 'Start the service with `dacapo serve`, or pass its address with --url or TRACER_SERVICE_URL.';
    super(`No answer from ${url} (${reason}). ${cure}`, options);
  }
}

/** The service answered with an error; `detail` is the text of that error. */
export class ServiceRefusedError extends CliError {
  readonly code = 'CLI_SERVICE_REFUSED';
  /** From the `Retry-After` header. */
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly status: number,
    readonly detail: string,
    { retryAfterMs }: { retryAfterMs?: number } = {},
  ) {
    super(`The service answered ${status}: ${detail.replace(/\.$/, '')}. ${suggestFix(status, detail)}`);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The answer is not one of this version of the Dacapo service. */
export class UnexpectedAnswerError extends CliError {
  readonly code = 'CLI_UNEXPECTED_ANSWER';

  constructor(url: string, problem: string, options?: { cause: unknown }) {
    super(`${url} ${problem}. Check that --url is the address of a Dacapo service.`, options);
  }
}

/** A file or folder cannot be read. */
export class PathUnreadableError extends CliError {
  readonly code = 'CLI_PATH_UNREADABLE';

  constructor(path: string, options: { cause: unknown }) {
    super(
      `${path} cannot be read (${describeCause(options.cause)}). Name a file or folder that exists.`,
      options,
    );
  }
}

/** A file cannot be written. */
export class FileUnwritableError extends CliError {
  readonly code = 'CLI_FILE_UNWRITABLE';

  constructor(path: string, options: { cause: unknown }) {
    super(`${path} cannot be written (${describeCause(options.cause)}). Name another file.`, options);
  }
}

/** Nobody confirmed an action that cannot be undone. */
export class NotConfirmedError extends CliError {
  readonly code = 'CLI_NOT_CONFIRMED';
  override readonly exitCode = EXIT_CODES.usage;

  /** @param hasTerminal whether the command could ask */
  constructor(what: string, hasTerminal: boolean) {
    super(
      hasTerminal
        ? 'Nothing was done. Run the command again and answer y to confirm.'
        : `${what} Not a terminal, so nothing was done. Pass --yes to confirm.`,
    );
  }
}

/** Checks failed; the printed report has the details. */
export class ChecksFailedError extends CliError {
  readonly code = 'CLI_CHECKS_FAILED';

  constructor(failed: readonly string[]) {
    super(`Failed: ${failed.join(', ')}. The report above says how to fix it.`);
  }
}

/** A short reason: the system code of the innermost cause, else its message. */
export function describeCause(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  if ('cause' in error && typeof error.cause === 'object' && error.cause) return describeCause(error.cause);
  return errorCode(error) ?? ('message' in error ? String(error.message) : 'unknown');
}

/** An error's `code` if it is a string. Uses no `instanceof`: errors of other realms and packages have codes too. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

function suggestFix(status: number, detail: string): string {
  if (status === 401 || detail === 'No API key found') {
    return 'Pass a key of this service with --api-key or TRACER_API_KEY.';
  }
  if (detail.startsWith('User account not found'))
    return 'Its account was deleted; use a key of another account.';
  if (status === 403) return 'Pass a key with this scope with --api-key or TRACER_API_KEY.';
  if (status === 429) return 'Wait for that time, then try again.';
  if (status === 404) return 'List the existing ones with the command `list`.';
  if (status >= 500) return "See the service's log, then try again.";
  return 'Correct the request and try again.';
}

/** A run failed checks of its gate. */
export class GateFailedError extends CliError {
  readonly code = 'CLI_GATE_FAILED';
  override readonly exitCode = EXIT_CODES.gateFailed;

  /** @param decision `Failed 2 of 6 checks` */
  constructor(decision: string) {
    super(`${decision}. The report above lists them with the items that failed.`);
  }
}
