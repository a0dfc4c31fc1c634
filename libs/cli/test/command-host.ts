import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../..');

interface CommandResult {
  /** The exit code that the command asks for. */
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs commands of the built CLI one after the other in one process, without a supervisor. A module is loaded once, so a command
 * that needs a new one is given a copy.
 */
export class CommandHost {
  private turn: Promise<unknown> = Promise.resolve();

  private readonly ended: Promise<never>;

  private constructor(private readonly child: ChildProcess) {
    this.ended = once(child, 'exit').then(([code]) => {
      throw new Error(`the host of commands ended with ${String(code)}`);
    });
    this.ended.catch(() => undefined);
  }

  static start(): CommandHost {
    const program = join(__dirname, 'command-host.cjs');
    // What applications print belongs to the claims about processes.
    return new CommandHost(fork(program, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }));
  }

  run(
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    folder: string = ROOT,
  ): Promise<CommandResult> {
    const result = this.turn.then(() => this.ask({ args, env, folder }));
    this.turn = result.catch(() => undefined);
    return result;
  }

  async close(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended.catch(() => undefined);
  }

  private async ask(command: object): Promise<CommandResult> {
    const answered = once(this.child, 'message') as Promise<[CommandResult]>;
    this.child.send(command);
    const [result] = await Promise.race([answered, this.ended]);
    return result;
  }
}
