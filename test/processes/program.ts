import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';

export const ROOT = join(__dirname, '../..');

type Environment = Readonly<Record<string, string>>;

/** A Node program that runs during the test. */
export class Program {
  private constructor(private readonly child: ChildProcess) {}

  /** Starts it and waits for the line of JSON that it prints when it is ready. */
  static async start<Ready>(
    path: string,
    args: readonly string[],
    env: Environment = {},
  ): Promise<[Program, Ready]> {
    const child = spawn(process.execPath, [join(ROOT, path), ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const line = await Promise.race([
      firstJsonLine(child.stdout),
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`${path} ended with ${String(code)}`))),
    ]);
    return [new Program(child), JSON.parse(line) as Ready];
  }

  /** Sends a stop signal and waits for the exit. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill(signal);
    await exited;
  }
}

/** Finds the JSON line: a program may also print warnings. */
function firstJsonLine(stdout: Readable): Promise<string> {
  return new Promise((resolve) => {
    createInterface(stdout).on('line', (line) => {
      if (line.startsWith('{')) resolve(line);
    });
  });
}

/** Runs a Node program to its end and returns the JSON that it printed. */
export async function runProgram(path: string, env: Environment): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(ROOT, path)], {
    env: { ...process.env, ...env },
  });
  return JSON.parse(stdout);
}
