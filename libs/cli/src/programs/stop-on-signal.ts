import { CliError } from '../errors.js';
import { EXIT_CODES, type ExitCode } from '../exit-codes.js';
import type { CliIo, StopSignal } from '../io.js';

/** The user stopped the command. Its temporary files are removed. */
class StoppedError extends CliError {
  readonly code = 'CLI_STOPPED';
  override readonly exitCode: ExitCode;

  constructor(signal: StopSignal) {
    super(`${signal} stopped the command, and its temporary files were removed. Start it again.`);
    this.exitCode = EXIT_CODES[signal];
  }
}

/** Aborts with a `StoppedError` when the user stops the command. Call it once a command. */
export function stopOnSignal(io: Pick<CliIo, 'untilStopped'>): AbortSignal {
  const stop = new AbortController();
  void io.untilStopped().then((signal) => {
    stop.abort(new StoppedError(signal));
  });
  return stop.signal;
}
