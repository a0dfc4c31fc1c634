import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT_CODES, type ExitCode } from '../exit-codes.js';
import type { ReportedRun, StopSignal, SupervisedCommand } from '../io.js';
import { ReplayProcessEndedError } from '../replay/errors.js';
import { readMessages, SUPERVISOR_PID } from './supervisor-channel.js';

/** How long the process and its channel may outlive each other. A forked process may keep the channel open. */
export const CHANNEL_CLOSES_MS = 1_000;

/** Where and how a command runs. */
export interface ProcessPlace {
  /** Arguments of Node before the program. */
  readonly node: readonly string[];
  /** The path of this command's program. */
  readonly program: string;
  readonly cwd?: string;
  readonly env: NodeJS.ProcessEnv;
  /** stdin, stdout and stderr. */
  readonly stdio: readonly ['inherit' | 'ignore', 'inherit' | 'pipe', 'inherit' | 'pipe'];
  /** Starts a process group, which can be ended as a whole. */
  readonly detached?: boolean;
}

/** How a child process ended, and what it had reported. */
export interface ProcessEnd {
  /** `null` after a signal. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Text from the channel. */
  readonly received: string;
}

export interface SupervisedProcess {
  readonly child: ChildProcess;
  /** Rejects when the process could not be started. */
  readonly ended: Promise<ProcessEnd>;
}

/** Starts a command that loads application code. The process ends when this one does. */
export function startSupervised(args: readonly string[], place: ProcessPlace): SupervisedProcess {
  const { node, program, cwd, env, stdio, detached = false } = place;
  const options: SpawnOptions = {
    stdio: [...stdio, 'pipe'],
    env: { ...env, [SUPERVISOR_PID]: String(process.pid) },
    detached,
    ...(cwd !== undefined && { cwd }),
  };
  const child = spawn(process.execPath, [...node, program, ...args], options);
  let received = '';
  const channel = child.stdio[3] as Readable;
  channel.setEncoding('utf8').on('data', (text: string) => (received += text));
  channel.on('error', () => undefined);
  // Without its channel the child can no longer report success.
  channel.once('close', () => setTimeout(() => child.kill('SIGKILL'), CHANNEL_CLOSES_MS).unref());
  const end = async (): Promise<ProcessEnd> => {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    if (!channel.closed) await Promise.race([once(channel, 'close'), sleep(CHANNEL_CLOSES_MS)]);
    return { code, signal, received };
  };
  return { child, ended: end() };
}

export interface SupervisedResult {
  readonly exitCode: number;
  /** The last state of the test run that the child reported. */
  readonly run: ReportedRun | undefined;
  /** Set when the exit code differs from the reported one. */
  readonly error?: ReplayProcessEndedError;
}

/**
 * Decides the exit code. It is 0 only if the child reported 0, exited with 0, and no signal arrived. The child reports 0 after the
 * service has confirmed the decision and the reports are written.
 *
 * @param stopped the signal that this process received
 */
export function decideExitCode(
  command: SupervisedCommand,
  { code, signal, received }: ProcessEnd,
  stopped: StopSignal | undefined,
): SupervisedResult {
  const { exitCodes, run, isSuccessConfirmed: isConfirmed } = readMessages(received);
  const failure = exitCodes.find((exitCode) => exitCode !== EXIT_CODES.success);
  // The child already printed its error.
  if (failure !== undefined) return { exitCode: failure, run };
  if (isConfirmed && code === 0 && stopped === undefined) return { exitCode: EXIT_CODES.success, run };
  const stopSignal = stopped ?? (signal === 'SIGINT' || signal === 'SIGTERM' ? signal : undefined);
  const exitCode: ExitCode = stopSignal === undefined ? EXIT_CODES.failure : EXIT_CODES[stopSignal];
  return {
    exitCode,
    run,
    error: new ReplayProcessEndedError({ command, code, signal, run, isConfirmed }, exitCode),
  };
}
