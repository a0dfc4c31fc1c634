import { CliError, describeCause } from '../errors.js';
import { EXIT_CODES } from '../exit-codes.js';

/** The folder is not a project that `init` can change. */
export class ProjectUnreadableError extends CliError {
  readonly code = 'CLI_PROJECT_UNREADABLE';
  override readonly exitCode = EXIT_CODES.usage;

  constructor(path: string, options: { cause: unknown }) {
    super(
      `${path} cannot be read (${describeCause(options.cause)}). Run the command in the folder of your application's package.json.`,
      options,
    );
  }
}

/** A path leads out of the project, perhaps by a symbolic link. */
export class OutsideProjectError extends CliError {
  readonly code = 'CLI_OUTSIDE_PROJECT';

  constructor(path: string) {
    super(
      `${path} is outside of the project or behind a symbolic link, so nothing was changed. Name a folder in the project, or replace the link with its target.`,
    );
  }
}

/** A file has bytes that an edit would destroy. */
export class NotUtf8Error extends CliError {
  readonly code = 'CLI_NOT_UTF8';

  constructor(path: string, options: { cause: unknown }) {
    super(`${path} is not UTF-8, so nothing was changed. Convert it, or edit it by hand.`, options);
  }
}

/** A change failed, and files that were changed before could not be restored. */
export class FilesNotRestoredError extends CliError {
  readonly code = 'CLI_FILES_NOT_RESTORED';

  constructor(paths: readonly string[], options: { cause: unknown }) {
    super(
      `A change failed (${describeCause(options.cause)}), and ${paths.join(', ')} could not be restored. Restore with git, or edit by hand.`,
      options,
    );
  }
}

/** `--method` names no method of a provider. */
export class UnknownMethodError extends CliError {
  readonly code = 'CLI_UNKNOWN_METHOD';
  override readonly exitCode = EXIT_CODES.usage;

  constructor(name: string, known: readonly string[]) {
    const cure =
      known.length === 0
        ? 'No class with @Injectable() has a public method. Add one, or decorate the method yourself.'
        : `Name one of: ${known.slice(0, 10).join(', ')}${known.length > 10 ? `, … (${known.length})` : ''}.`;
    super(`--method ${name} is not a method of a provider. ${cure}`);
  }
}

/** Files are not as `init` left them. */
export class FilesChangedError extends CliError {
  readonly code = 'CLI_FILES_CHANGED';

  constructor(paths: readonly string[], what: string) {
    super(
      `${paths.join(', ')} changed since ${what}, so nothing was done. Undo your changes there first, or edit by hand.`,
    );
  }
}

/** The record of what `init` did does not exist. */
export class NothingToUndoError extends CliError {
  readonly code = 'CLI_NOTHING_TO_UNDO';

  constructor(path: string, options?: { cause: unknown }) {
    super(
      options === undefined
        ? `${path} does not exist, so there is nothing to undo. \`dacapo init\` writes it; in a clone, use git.`
        : `${path} cannot be read (${describeCause(options.cause)}). Undo the changes with git.`,
      options,
    );
  }
}
