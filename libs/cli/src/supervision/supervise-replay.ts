import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as inspector from 'node:inspector';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT_CODES, type ExitCode } from '../exit-codes.js';
import { STOP_SIGNALS, type StopSignal, type SupervisedCommand } from '../io.js';
import { formatError } from '../output/format-error.js';
import { ReplayNotStartedError, ReplayProcessEndedError } from '../replay/errors.js';
import { CLEAR_LINE } from '../output/waiting-line.js';
import { readMessages, SUPERVISOR_PID } from './supervisor-channel.js';

/** How long the process and its channel may outlive each other. A forked process may keep the channel open. */
const CHANNEL_CLOSES_MS = 1_000;

/**
 * Runs `dacapo replay` or `dacapo eval` in a child process and exits with its result. Replayed code can end or break the child at any
 * time, so this process exits with 0 only if the child reported success.
 *
 * The first SIGINT or SIGTERM stops the replay gracefully, the second one kills both processes.
 */
export async function superviseReplay(command: SupervisedCommand, args: readonly string[]): Promise<void> {
  // Frees the port for the process that runs the application.
  if (inspector.url() !== undefined) inspector.close();
  process.stderr.on('error', () => undefined);
  const { exitCode, error } = await runReplay(command, args);
  if (error !== undefined) {
    const text = formatError(error, { isJson: args.includes('--json'), env: process.env });
    const line = `${process.stderr.isTTY ? CLEAR_LINE : ''}${text}`;
    await new Promise((resolve) => process.stderr.write(line, resolve));
  }
  // Modules that NODE_OPTIONS preloads run here too, and may set another code when the process ends.
  process.removeAllListeners('exit');
  process.exit(exitCode);
}

async function runReplay(
  command: SupervisedCommand,
  args: readonly string[],
): Promise<Omit<ReplayEnd, 'error'> & { error?: Error }> {
  const [, program = ''] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, program, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...process.env, [SUPERVISOR_PID]: String(process.pid) },
  });
  const signals: StopSignal[] = [];
  for (const signal of STOP_SIGNALS)
    process.on(signal, () => {
      const isFirst = signals.push(signal) === 1;
      if (!isFirst) child.kill('SIGKILL');
      // A terminal sends Ctrl+C to both processes; the child ignores repeated signals. On Windows, `kill` would end it at once.
      else if (process.platform !== 'win32') child.kill(signal);
    });
  let received = '';
  const channel = child.stdio[3] as Readable;
  channel.setEncoding('utf8').on('data', (text: string) => (received += text));
  channel.on('error', () => undefined);
  // Without its channel the child can no longer report success.
  channel.once('close', () => setTimeout(() => child.kill('SIGKILL'), CHANNEL_CLOSES_MS).unref());
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    if (!channel.closed) await Promise.race([once(channel, 'close'), sleep(CHANNEL_CLOSES_MS)]);
    const [stopped, killedBy] = signals;
    if (killedBy !== undefined) await endBy(killedBy);
    return decideExitCode({ command, code, signal, received, stopped });
  } catch (cause) {
    return { exitCode: EXIT_CODES.failure, error: new ReplayNotStartedError({ cause }) };
  }
}

/** Ends this process by the signal's default action. */
async function endBy(signal: StopSignal): Promise<void> {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  await sleep(CHANNEL_CLOSES_MS);
}

/** How the child process ended, and what it had reported. */
interface ProcessEnd {
  readonly command: SupervisedCommand;
  /** `null` after a signal. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Text from the channel. */
  readonly received: string;
  /** The signal that this process received. */
  readonly stopped: StopSignal | undefined;
}

interface ReplayEnd {
  readonly exitCode: number;
  /** Set when the exit code differs from the reported one. */
  readonly error?: ReplayProcessEndedError;
}

/**
 * Decides the exit code. It is 0 only if the child reported 0, exited with 0, and no signal arrived. The child reports 0 after the
 * service has confirmed the decision and the reports are written.
 */
function decideExitCode({ command, code, signal, received, stopped }: ProcessEnd): ReplayEnd {
  const { exitCodes, run, isSuccessConfirmed: isConfirmed } = readMessages(received);
  const failure = exitCodes.find((exitCode) => exitCode !== EXIT_CODES.success);
  // The child already printed its error.
  if (failure !== undefined) return { exitCode: failure };
  if (isConfirmed && code === 0 && stopped === undefined) return { exitCode: EXIT_CODES.success };
  const stopSignal = stopped ?? (signal === 'SIGINT' || signal === 'SIGTERM' ? signal : undefined);
  const exitCode: ExitCode = stopSignal === undefined ? EXIT_CODES.failure : EXIT_CODES[stopSignal];
  return {
    exitCode,
    error: new ReplayProcessEndedError({ command, code, signal, run, isConfirmed }, exitCode),
  };
}
