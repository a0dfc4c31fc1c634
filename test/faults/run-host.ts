import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { DeliveryOptions } from '@dacapo/tracer';
import type { Account } from './oracle.js';

export interface Scenario {
  readonly url: string;
  readonly apiKey?: string;
  readonly traced?: boolean;
  readonly delivery?: DeliveryOptions;
  /** Fault of the host's own code: a name in `host-calls.mjs`. */
  readonly misbehaviour?: string;
  /** Fault of the host's `capture.redact`. */
  readonly mask?: 'throws' | 'rejects' | 'hangs';
  /** Calls of the traced function, each with an argument of `bytes` characters. */
  readonly calls?: number;
  readonly bytes?: number;
  /** Number of calls between pauses of `pauseMs`; 0: all calls in one tick. */
  readonly callsATick?: number;
  readonly pauseMs?: number;
  readonly end?: string;
  readonly threads?: number;
  readonly terminateAfterSpans?: number;
  readonly processes?: number;
}

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  /** Without lines of the tracer, and without code positions of errors. */
  readonly stderr: string;
  readonly durationMs: number;
}

export interface RunOptions {
  readonly execArgv?: readonly string[];
  /** A shell command that runs `node`; `"$@"` is its command line. */
  readonly shell?: string;
}

type HostProcess = ChildProcessByStdio<null, Readable, Readable>;

/** Host processes that share a folder for spools, ledger and reported drops. */
export class Hosts {
  readonly folder = mkdtempSync(join(tmpdir(), 'dacapo-hosts-'));
  readonly spoolDir = join(this.folder, 'spool');

  start(scenario: Scenario, { execArgv = [], shell }: RunOptions = {}): RunningHost {
    const whole = {
      apiKey: 'key-of-the-host',
      traced: true,
      misbehaviour: 'plain',
      calls: 100,
      bytes: 100,
      callsATick: 0,
      pauseMs: 0,
      end: 'natural',
      spoolDir: this.spoolDir,
      ledger: join(this.folder, 'ledger'),
      errors: join(this.folder, 'errors'),
      ...scenario,
    };
    const node = [process.execPath, ...execArgv, join(__dirname, 'host.mjs'), JSON.stringify(whole)];
    const [command, ...argv] = shell === undefined ? node : ['/bin/sh', '-c', shell, 'sh', ...node];
    return new RunningHost(spawn(command!, argv, { stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  async run(scenario: Scenario, options?: RunOptions): Promise<Outcome> {
    return this.start(scenario, options).ended;
  }

  account(killed = false): Account {
    const drops = this.lines('errors').map((line) => JSON.parse(line) as { ids?: string[] });
    return { sent: this.lines('ledger'), reportedDropped: drops.flatMap(({ ids }) => ids ?? []), killed };
  }

  errors(): { code: string; reason?: string; count?: number }[] {
    return this.lines('errors').map((line) => JSON.parse(line));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  private lines(name: string): string[] {
    const path = join(this.folder, name);
    return existsSync(path)
      ? readFileSync(path, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
      : [];
  }
}

export class RunningHost {
  readonly ended: Promise<Outcome>;
  private stdout = '';

  constructor(readonly process: HostProcess) {
    this.ended = this.follow();
  }

  /** Waits until the host has printed `text`. */
  async printed(text: string): Promise<void> {
    while (!this.stdout.includes(text)) await once(this.process.stdout, 'data');
  }

  async kill(signal: NodeJS.Signals): Promise<Outcome> {
    this.process.kill(signal);
    return this.ended;
  }

  private async follow(): Promise<Outcome> {
    const startedMs = performance.now();
    let stderr = '';
    this.process.stdout.on('data', (chunk) => (this.stdout += String(chunk)));
    this.process.stderr.on('data', (chunk) => (stderr += String(chunk)));
    const [code, signal] = (await once(this.process, 'close')) as [number | null, NodeJS.Signals | null];
    const own = stderr.split('\n').filter((line) => !line.startsWith('[dacapo]'));
    return {
      code,
      signal,
      stdout: this.stdout,
      stderr: own.join('\n'),
      durationMs: performance.now() - startedMs,
    };
  }
}
