import { EXIT_CODES, type ExitCode } from '../exit-codes.js';
import type { StopSignal, SupervisedCommand } from '../io.js';
import { ReplayProcessEndedError } from '../replay/errors.js';
import { readMessages } from './supervisor-channel.js';

/** How the process of a replay or an evaluation ended, and what it had reported by then. */
export interface ProcessEnd {
  readonly command: SupervisedCommand;
  /** `null` when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What came over the channel. */
  readonly received: string;
  /** The signal that the supervisor was sent. */
  readonly stopped: StopSignal | undefined;
}

export interface ReplayEnd {
  readonly exitCode: number;
  /** Why the exit code is not the one that the process reported. */
  readonly error?: ReplayProcessEndedError;
}

/**
 * The exit code of `dacapo replay` and `dacapo eval`. It is 0 only when the process reported 0, which it does once the service has confirmed the
 * decision and the reports are written, then exited with 0, and no signal asked to stop.
 */
export function judgeReplayEnd({ command, code, signal, received, stopped }: ProcessEnd): ReplayEnd {
  const { exitCodes, run, isSuccessConfirmed: isConfirmed } = readMessages(received);
  const failure = exitCodes.find((exitCode) => exitCode !== EXIT_CODES.success);
  // The process printed why.
  if (failure !== undefined) return { exitCode: failure };
  if (isConfirmed && code === 0 && stopped === undefined) return { exitCode: EXIT_CODES.success };
  const stopSignal = stopped ?? (signal === 'SIGINT' || signal === 'SIGTERM' ? signal : undefined);
  const exitCode: ExitCode = stopSignal === undefined ? EXIT_CODES.failure : EXIT_CODES[stopSignal];
  return {
    exitCode,
    error: new ReplayProcessEndedError({ command, code, signal, run, isConfirmed }, exitCode),
  };
}
