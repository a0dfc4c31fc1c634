import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../processes/program.js';

export interface Ended {
  /** The exit code, or the signal that ended the process. */
  readonly exit: number | NodeJS.Signals;
  readonly out: string;
  readonly err: string;
}

/** Runs the built `dacapo replay`, `dacapo rescore` or `dacapo eval` in a separate process. */
export class RunningReplay {
  out = '';
  err = '';
  private readonly exited: Promise<number | NodeJS.Signals>;

  private constructor(private readonly child: ChildProcess) {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.out += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.err += text));
    this.exited = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  }

  static start(
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    cwd = ROOT,
    command: 'replay' | 'rescore' | 'eval' = 'replay',
  ): RunningReplay {
    const program = [join(ROOT, 'libs/cli/bin/dacapo.cjs'), command, ...args];
    return new RunningReplay(spawn(process.execPath, program, { cwd, env: { ...process.env, ...env } }));
  }

  /** Resolves when stderr matches `text`. */
  async says(text: RegExp): Promise<void> {
    while (!text.test(this.err)) {
      if (this.child.exitCode !== null)
        throw new Error(`the process ended before stderr matched ${String(text)}:\n${this.err}`);
      await Promise.race([once(this.child.stderr!, 'data'), this.exited]);
    }
  }

  /** Resolves when stdout matches `text`. */
  async prints(text: RegExp): Promise<void> {
    while (!text.test(this.out)) {
      if (this.child.exitCode !== null)
        throw new Error(`the process ended before stdout matched ${String(text)}:\n${this.out}`);
      await Promise.race([once(this.child.stdout!, 'data'), this.exited]);
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async ended(): Promise<Ended> {
    return { exit: await this.exited, out: this.out, err: this.err };
  }
}
