import * as inspector from 'node:inspector';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT_CODES } from '../exit-codes.js';
import { STOP_SIGNALS, type StopSignal, type SupervisedCommand } from '../io.js';
import { formatError } from '../output/format-error.js';
import { ReplayNotStartedError } from '../replay/errors.js';
import { CLEAR_LINE } from '../output/waiting-line.js';
import { CHANNEL_CLOSES_MS, decideExitCode, startSupervised } from './supervised-process.js';

/**
 * Runs `dacapo replay` or `dacapo eval` in a child process and exits with its result. Replayed code can end or break the child at any
 * time, so this process exits with 0 only if the child reported success.
 *
 * The first SIGINT or SIGTERM stops the replay gracefully, the second one kills both processes.
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
): Promise<{ readonly exitCode: number; readonly error?: Error }> {
  const [, program = ''] = process.argv;
  const { child, ended } = startSupervised(args, {
    node: process.execArgv,
    program,
    env: process.env,
    stdio: ['inherit', 'inherit', 'inherit'],
  });
  const signals: StopSignal[] = [];
  for (const signal of STOP_SIGNALS)
    process.on(signal, () => {
      const isFirst = signals.push(signal) === 1;
      if (!isFirst) child.kill('SIGKILL');
      // A terminal sends Ctrl+C to both processes; the child ignores repeated signals. On Windows, `kill` would end it at once.
      else if (process.platform !== 'win32') child.kill(signal);
    });
  try {
    const end = await ended;
    const [stopped, killedBy] = signals;
    if (killedBy !== undefined) await endBy(killedBy);
    return decideExitCode(command, end, stopped);
  } catch (cause) {
    return { exitCode: EXIT_CODES.failure, error: new ReplayNotStartedError({ cause }) };
  }
}

/** Ends this process by the signal's default action. */
async function endBy(signal: StopSignal): Promise<void> {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  await sleep(CHANNEL_CLOSES_MS);
}
