import { Socket } from 'node:net';
import type { ReportedRun } from '../io.js';

/** What the process of a replay reports to its supervisor: how far the test run is, and at the end its exit code. */
export type SupervisedMessage = ReportedRun | { readonly exitCode: number };

/** The supervisor's process id. The process that it started removes the variable before it loads any code of an application. */
export const SUPERVISOR_PID = 'DACAPO_SUPERVISOR_PID';

/** Behind stdin, stdout and stderr; processes that an application starts do not inherit it. */
const CHANNEL_FD = 3;

/** The pipe from the process of a replay to its supervisor, as lines of JSON. It does not keep the process alive. */
export class SupervisorChannel {
  private constructor(private readonly socket: Socket) {
    // Without its supervisor nobody reads the exit code of this process: it must not outlive it.
    const end = (): void => {
      process.kill(process.pid, 'SIGKILL');
    };
    socket.once('error', end).once('close', end).resume().unref();
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
    return new Promise((resolve) => {
      this.socket.write(`${JSON.stringify(message)}\n`, () => {
        resolve();
      });
    });
  }
}

/** Reads what came over the channel. Lines that are not ours are skipped. */
export function readMessages(received: string): SupervisedMessage[] {
  return received.split('\n').flatMap((line) => {
    try {
      const message = JSON.parse(line) as Partial<Record<string, unknown>> | null;
      if (typeof message?.['testRunId'] !== 'string' && !Number.isInteger(message?.['exitCode'])) return [];
      return [message as unknown as SupervisedMessage];
    } catch {
      return [];
    }
  });
}
