import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as inspector from 'node:inspector';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT_CODES } from '../exit-codes.js';
import { STOP_SIGNALS, type StopSignal, type SupervisedCommand } from '../io.js';
import { formatError } from '../output/format-error.js';
import { ReplayNotStartedError } from '../replay/errors.js';
import { CLEAR_LINE } from '../replay/progress.js';
import { judgeReplayEnd, type ReplayEnd } from './replay-end.js';
import { SUPERVISOR_PID } from './supervisor-channel.js';

/** How long the process and its channel may outlive each other: a process that it forked may hold the channel. */
const CHANNEL_CLOSES_MS = 1_000;

/**
 * Runs `dacapo replay` or `dacapo eval` in a process of its own and ends this one with the exit code. Replayed code can end or break its own
 * process at any moment; this one exits with 0 only if that process reported success.
 *
 * The first SIGINT or SIGTERM asks the replay to stop tidily, the second one ends both processes at once.
 */
export async function superviseReplay(command: SupervisedCommand, args: readonly string[]): Promise<void> {
  // Frees the port for the process that runs the application.
  if (inspector.url() !== undefined) inspector.close();
  process.stderr.on('error', () => undefined);
  const { exitCode, error } = await runReplay(command, args);
  if (error !== undefined) {
    const text = formatError(error, { isJson: args.includes('--json'), env: process.env });
    const line = `${process.stderr.isTTY ? CLEAR_LINE : ''}${text}`;
    await new Promise((resolve) => process.stderr.write(line, resolve));
  }
  // Modules that NODE_OPTIONS preloads run here too, and may set another code when the process ends.
  process.removeAllListeners('exit');
  process.exit(exitCode);
}

async function runReplay(
  command: SupervisedCommand,
  args: readonly string[],
): Promise<Omit<ReplayEnd, 'error'> & { error?: Error }> {
  const [, program = ''] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, program, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...process.env, [SUPERVISOR_PID]: String(process.pid) },
  });
  const signals: StopSignal[] = [];
  for (const signal of STOP_SIGNALS)
    process.on(signal, () => {
      const isFirst = signals.push(signal) === 1;
      if (!isFirst) child.kill('SIGKILL');
      // A terminal sends Ctrl+C to both processes, and the child counts one signal only. On Windows, `kill` ends it at once.
      else if (process.platform !== 'win32') child.kill(signal);
    });
  let received = '';
  const channel = child.stdio[3] as Readable;
  channel.setEncoding('utf8').on('data', (text: string) => (received += text));
  channel.on('error', () => undefined);
  // A process that lost its channel can report nothing more: nobody waits for it.
  channel.once('close', () => setTimeout(() => child.kill('SIGKILL'), CHANNEL_CLOSES_MS).unref());
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    if (!channel.closed) await Promise.race([once(channel, 'close'), sleep(CHANNEL_CLOSES_MS)]);
    const [stopped, killedBy] = signals;
    if (killedBy !== undefined) await endBy(killedBy);
    return judgeReplayEnd({ command, code, signal, received, stopped });
  } catch (cause) {
    return { exitCode: EXIT_CODES.failure, error: new ReplayNotStartedError({ cause }) };
  }
}

/** Ends this process as a signal ends a program that handles none. */
async function endBy(signal: StopSignal): Promise<void> {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  await sleep(CHANNEL_CLOSES_MS);
}
