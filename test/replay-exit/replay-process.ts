import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandHost } from '../../libs/cli/test/command-host.js';
import type { DacapoServe } from '../processes/dacapo-serve.js';
import { ROOT } from '../processes/program.js';
import { type Interference, ServiceProxy } from './service-proxy.js';

const DACAPO = join(ROOT, 'libs/cli/bin/dacapo.cjs');
const PASSES = ['--gate', '{"errors":0,"changed":0}'];
export const ENTRY = 'test/replay-exit/entry.cjs';

/** Code that the entry runs in each hook. */
type Hooks = Partial<Record<'ON_LOAD' | 'ON_CALL' | 'ON_LAST_CALL' | 'ON_CLOSE' | 'ON_SCORE', string>>;

/** One command line and the faults during it. */
export interface Attempt {
  readonly env?: Hooks & Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** The complete command line. Default: one whose gate passes. */
  readonly line?: readonly string[];
  /** A file for stdout. */
  readonly stdout?: string;
  readonly during?: (child: ChildProcess) => void;
  /** Faults of the service. */
  readonly interfere?: Interference;
}

type ExitCode = number | NodeJS.Signals;

/** Test name, expected exit code, and attempt. */
export type Attack = readonly [name: string, exit: ExitCode, attempt: Attempt];

export interface Ended {
  readonly exit: ExitCode;
  readonly err: string;
}

/** Runs an attempt in a process of its own. Resolves when no process holds stderr, so it also waits for orphans. */
export async function replay(service: DacapoServe, attempt: Attempt): Promise<Ended> {
  const proxy = attempt.interfere && (await ServiceProxy.start(service.url, attempt.interfere));
  try {
    return await run(service, attempt, proxy ? ['--url', proxy.url] : []);
  } finally {
    await proxy?.close();
  }
}

/** Runs an attempt that only the service interferes with, on modules in `folder` that no other command has loaded. */
export async function replayInHost(
  host: CommandHost,
  service: DacapoServe,
  attempt: Attempt,
  folder: string,
): Promise<Ended> {
  const proxy = await ServiceProxy.start(service.url, attempt.interfere ?? (() => undefined));
  try {
    const env = { ...service.env, ...attempt.env };
    return await host.run(commandLine(attempt, ['--url', proxy.url]), env, folder);
  } finally {
    await proxy.close();
  }
}

function commandLine({ line, args = [] }: Attempt, connection: readonly string[]): string[] {
  const usual = ['replay', ENTRY, '--export', 'work', '--concurrency', '1', ...PASSES];
  const timeout = connection.length > 0 && line === undefined ? ['--timeout', '1500'] : [];
  return [...(line ?? usual), ...connection, ...timeout, ...args];
}

async function run(service: DacapoServe, attempt: Attempt, connection: readonly string[]): Promise<Ended> {
  const { env = {}, stdout, during } = attempt;
  const file = stdout === undefined ? undefined : openSync(stdout, 'w');
  const child = spawn(process.execPath, [DACAPO, ...commandLine(attempt, connection)], {
    cwd: ROOT,
    env: { ...process.env, ...service.env, ...env },
    stdio: ['ignore', file ?? 'pipe', 'pipe'],
  });
  child.stdout?.resume();
  let err = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (err += text));
  during?.(child);
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  if (file !== undefined) closeSync(file);
  return { exit: code ?? signal!, err };
}

/** Runs the attempts in order, four at a time. */
export function replayAll(service: DacapoServe, attempts: readonly Attempt[]): Promise<Ended>[] {
  const lanes: Promise<unknown>[] = Array.from({ length: 4 }, () => Promise.resolve());
  return attempts.map((attempt, n) => {
    const ended = lanes[n % lanes.length]!.then(() => replay(service, attempt));
    lanes[n % lanes.length] = ended.catch(() => undefined);
    return ended;
  });
}
