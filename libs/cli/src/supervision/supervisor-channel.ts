import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { EXIT_CODES } from '../exit-codes.js';
import type { ReportedRun } from '../io.js';

/** Messages to the supervisor: the state of the test run, and at the end the exit code. */
type SupervisedMessage = ReportedRun | { readonly exitCode: number };

/** Everything that the supervisor received. */
export interface ReceivedMessages {
  readonly exitCodes: readonly number[];
  /** The last state of the test run. */
  readonly run: ReportedRun | undefined;
  /** Whether the command itself reported success, not code that it loaded. */
  readonly isSuccessConfirmed: boolean;
}

/** Holds the supervisor's process id. The child removes the variable before it loads application code. */
export const SUPERVISOR_PID = 'DACAPO_SUPERVISOR_PID';

/** The descriptor after stdin, stdout and stderr. Processes that the application starts do not inherit it. */
const CHANNEL_FD = 3;

/**
 * The pipe from the child process to its supervisor, as JSON lines. It does not keep the process alive. Application code can write to it
 * too, so a report of success repeats the secret of the first line, which is sent before that code loads.
 */
export class SupervisorChannel {
  readonly #secret = randomUUID();

  private constructor(private readonly socket: Socket) {
    // Nobody reads the exit code without the supervisor, so this process ends with it.
    const end = (): void => {
      process.kill(process.pid, 'SIGKILL');
    };
    socket.once('error', end).once('close', end).resume().unref();
    socket.write(`${JSON.stringify({ secret: this.#secret })}\n`);
  }

  /**
   * @returns `undefined` without a supervisor
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

  /** Resolves when the message is written. Never rejects: a lost message does not count as success. */
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

/** Parses the text of the channel. Foreign lines are skipped. */
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
