import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { EXIT_CODES } from '../exit-codes.js';
import type { ReportedRun } from '../io.js';

/** What the process of a replay reports to its supervisor: how far the test run is, and at the end its exit code. */
type SupervisedMessage = ReportedRun | { readonly exitCode: number };

/** All that the supervisor received. */
export interface ReceivedMessages {
  readonly exitCodes: readonly number[];
  /** The last state of the test run. */
  readonly run: ReportedRun | undefined;
  /** The command itself reported success, and not code that it loaded. */
  readonly isSuccessConfirmed: boolean;
}

/** The supervisor's process id. The process that it started removes the variable before it loads any code of an application. */
export const SUPERVISOR_PID = 'DACAPO_SUPERVISOR_PID';

/** Behind stdin, stdout and stderr; processes that an application starts do not inherit it. */
const CHANNEL_FD = 3;

/**
 * The pipe from the process of a replay to its supervisor, as lines of JSON. It does not keep the process alive. Code of the application
 * can write to it too, so a report of success repeats the secret of the first line, which was sent before such code was loaded.
 */
export class SupervisorChannel {
  readonly #secret = randomUUID();

  private constructor(private readonly socket: Socket) {
    // Without its supervisor nobody reads the exit code of this process: it must not outlive it.
    const end = (): void => {
      process.kill(process.pid, 'SIGKILL');
    };
    socket.once('error', end).once('close', end).resume().unref();
    socket.write(`${JSON.stringify({ secret: this.#secret })}\n`);
  }

  /**
   * @returns `undefined` in a process that no supervisor started
   * @throws Error when the variable names a process that did not start this one
   */
  static open(): SupervisorChannel | undefined {
    const { [SUPERVISOR_PID]: supervisorPid } = process.env;
    if (supervisorPid === undefined) return undefined;
    Reflect.deleteProperty(process.env, SUPERVISOR_PID);
    if (Number(supervisorPid) !== process.ppid)
      throw new Error(`${SUPERVISOR_PID} is ${supervisorPid}, which did not start this process. Unset it.`);
    return new SupervisorChannel(new Socket({ fd: CHANNEL_FD, readable: true, writable: true }));
  }

  /** Resolves when the supervisor can read it. Never rejects: what does not arrive is no success. */
  send(message: SupervisedMessage): Promise<void> {
    const isSuccess = 'exitCode' in message && message.exitCode === EXIT_CODES.success;
    const line = JSON.stringify(isSuccess ? { ...message, secret: this.#secret } : message);
    return new Promise((resolve) => {
      this.socket.write(`${line}\n`, () => {
        resolve();
      });
    });
  }
}

/** Reads what came over the channel. Lines that are not ours are skipped. */
export function readMessages(received: string): ReceivedMessages {
  const messages = received.split('\n').flatMap(readLine);
  const exitCodes = messages.flatMap(({ exitCode }) =>
    Number.isInteger(exitCode) ? [Number(exitCode)] : [],
  );
  const runs = messages.filter(({ testRunId }) => typeof testRunId === 'string');
  const announced = messages.filter(({ secret, exitCode }) => secret !== undefined && exitCode === undefined);
  const [first] = messages;
  const isSuccessConfirmed =
    typeof first?.['secret'] === 'string' &&
    announced.length === 1 &&
    messages.some(({ exitCode, secret }) => exitCode === EXIT_CODES.success && secret === first['secret']);
  return { exitCodes, run: runs.at(-1) as ReportedRun | undefined, isSuccessConfirmed };
}

function readLine(line: string): Partial<Record<string, unknown>>[] {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === 'object' && message !== null ? [message] : [];
  } catch {
    return [];
  }
}
