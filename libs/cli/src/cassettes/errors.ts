import { CliError } from '../errors.js';
import { EXIT_CODES } from '../exit-codes.js';

/** The trace has no call that a cassette could hold. */
export class NoCallToPullError extends CliError {
  readonly code = 'CLI_NO_CALL_TO_PULL';
  override readonly exitCode = EXIT_CODES.nothingToReplay;

  constructor(key: string, traceId: string) {
    super(
      `Trace ${traceId} has no finished call with the key ${JSON.stringify(key)}. List its calls with \`dacapo traces show ${traceId}\`.`,
    );
  }
}

/** A file with other calls is there. */
export class CassetteExistsError extends CliError {
  readonly code = 'CLI_CASSETTE_EXISTS';

  constructor(file: string) {
    super(`${file} exists and holds other calls. Pass --force to replace it, or another file with --out.`);
  }
}

/** Some cassettes need attention. The printed result lists them. */
export class CassettesFailedError extends CliError {
  readonly code = 'CLI_CASSETTES_FAILED';

  constructor(failed: number, all: number) {
    super(`${failed} of ${all} cassettes failed the check. Fix the problems above.`);
  }
}
