import { CliError, describeCause, errorCode } from '../errors.js';
import { EXIT_CODES } from '../exit-codes.js';

/** The configuration of the project is missing, invalid, or lacks what a command needs. */
export class ProjectConfigError extends CliError {
  readonly code = 'CLI_PROJECT_CONFIG';
  override readonly exitCode = EXIT_CODES.usage;

  /** @param cure a sentence */
  constructor(file: string, problem: string, cure: string, options?: { cause: unknown }) {
    super(`${file}: ${problem.replace(/\.$/, '')}. ${cure}`, options);
  }

  /** @param cause of the file system */
  static unreadable(file: string, example: string, cause: unknown): ProjectConfigError {
    return errorCode(cause) === 'ENOENT'
      ? new ProjectConfigError(file, 'does not exist', `Create it, for example with ${example}`, { cause })
      : new ProjectConfigError(file, `cannot be read (${describeCause(cause)})`, 'Make it a readable file.', {
          cause,
        });
  }
}

/** The configuration was changed after the command read it. */
export class ProjectConfigChangedError extends CliError {
  readonly code = 'CLI_PROJECT_CONFIG_CHANGED';

  constructor(file: string) {
    super(
      `${file} was changed after this command started, so nothing was run. Ask the person who owns the project to check the change and to start the command again.`,
    );
  }
}

/** The configuration does not allow replays of the key. */
export class KeyNotConfiguredError extends CliError {
  readonly code = 'CLI_KEY_NOT_CONFIGURED';
  override readonly exitCode = EXIT_CODES.usage;

  constructor(key: string, file: string, patterns: readonly string[]) {
    super(
      `${file} allows replays of ${patterns.join(', ')}, not of ${JSON.stringify(key)}. Ask the person who owns the project to add the key to replay.keys.`,
    );
  }
}
