import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../processes/program.js';

export interface Ended {
  /** Its exit code, or the signal that ended it. */
  readonly exit: number | NodeJS.Signals;
  readonly out: string;
  readonly err: string;
}

/** `dacapo replay`, `dacapo rescore` or `dacapo eval`, as it is built, in a process of its own. */
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

  /** Resolves once it has printed that to stderr. */
  async says(text: RegExp): Promise<void> {
    while (!text.test(this.err)) {
      if (this.child.exitCode !== null)
        throw new Error(`it ended before it said ${String(text)}:\n${this.err}`);
      await Promise.race([once(this.child.stderr!, 'data'), this.exited]);
    }
  }

  /** Resolves once it has printed that to stdout. */
  async prints(text: RegExp): Promise<void> {
    while (!text.test(this.out)) {
      if (this.child.exitCode !== null)
        throw new Error(`it ended before it printed ${String(text)}:\n${this.out}`);
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
