import { createInterface } from 'node:readline';
import { type CliIo, type ReportedRun, STOP_SIGNALS, type StopSignal } from './io.js';
import { formatError } from './output/format-error.js';
import type { CliError } from './errors.js';
import { EXIT_CODES } from './exit-codes.js';
import { ReportNotPrintedError, SignalAtEndError } from './replay/errors.js';
import { CLEAR_LINE } from './output/waiting-line.js';
import { loadEnvFile } from './load-env-file.js';
import { run } from './run.js';
import type { SupervisorChannel } from './supervision/supervisor-channel.js';

/** Time the application gets to close its own resources after the command has ended. */
const LEFT_OPEN_MS = 2_000;

const toStdout = process.stdout.write.bind(process.stdout);
const toStderr = process.stderr.write.bind(process.stderr);
let isHosting = false;
let stopSignal: StopSignal | undefined;
let reportedRun: ReportedRun | undefined;
/** Whether the command has ended, so that only the application still runs. */
let isOver = false;
/** Number of drawn lines above the cursor (of a progress bar or table); `undefined` when nothing is drawn. */
let openLines: number | undefined;

/** Erases the drawing before the application prints. */
function eraseDrawing(): void {
  if (openLines !== undefined && process.stderr.isTTY)
    toStderr(openLines === 0 ? CLEAR_LINE : `\r\u001b[${openLines}A\u001b[J`);
  openLines = undefined;
}

/** Asks on stderr. */
function ask(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return Promise.resolve(undefined);
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  return new Promise((resolve) => {
    lines.once('close', () => {
      resolve('');
    });
    lines.question(question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}

/** The end of input is a no. */
async function confirm(question: string): Promise<boolean | undefined> {
  const answer = await ask(question);
  return answer === undefined ? undefined : /^y(es)?$/i.test(answer.trim());
}

/**
 * The first signal asks to stop. The second kills the process by that signal, because `process.exit` aborts while the database's
 * worker thread is busy. Below a supervisor the second signal is ignored: a terminal's Ctrl+C arrives twice, and the supervisor ends
 * the replay. The listener stays registered because SDKs of the application exit on signals that nobody else listens to.
 */
function untilStopped(channel: SupervisorChannel | undefined): Promise<StopSignal> {
  return new Promise((resolve) => {
    let hasRequestedStop = false;
    const stop = (signal: StopSignal): void => {
      if (isOver || (hasRequestedStop && channel === undefined)) {
        process.removeAllListeners(signal);
        process.kill(process.pid, signal);
        return;
      }
      hasRequestedStop = true;
      stopSignal ??= signal;
      resolve(signal);
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
  });
}

function createProcessIo(channel: SupervisorChannel | undefined, isWatched: boolean): CliIo {
  return {
    stdout: { write: toStdout, isTTY: process.stdout.isTTY, columns: process.stdout.columns },
    stderr: {
      isTTY: process.stderr.isTTY,
      get columns() {
        return process.stderr.columns;
      },
      get rows() {
        return process.stderr.rows;
      },
      write(text) {
        openLines = text.endsWith('\n') ? undefined : 0;
        return toStderr(text);
      },
      redraw(block) {
        eraseDrawing();
        if (block === '') return;
        // Turns line wrapping off: erasing the block counts its lines.
        toStderr(`\u001b[?7l${block}\u001b[?7h`);
        openLines = block.split('\n').length - 1;
      },
    },
    env: process.env,
    untilStopped: () => untilStopped(channel),
    ask,
    confirm,
    hostApplication(env) {
      if (channel === undefined && !isWatched)
        throw new Error('Applications are loaded only in a supervised process.');
      isHosting = true;
      Object.assign(process.env, env);
      const print = (...written: Parameters<typeof toStderr>): boolean => {
        eraseDrawing();
        return toStderr(...written);
      };
      process.stdout.write = print as typeof process.stdout.write;
      process.stderr.write = print as typeof process.stderr.write;
    },
    reportRun(testRun) {
      reportedRun = testRun;
      void channel?.send(testRun);
    },
  };
}

/**
 * Runs one command line in this process and sets its exit code.
 *
 * @param channel to the supervisor, when one started this process for a replay or an evaluation
 * @param isWatched whether `eval --watch` started this process, which ignores its exit code
 */
export async function runCommand(
  args: readonly string[],
  channel: SupervisorChannel | undefined,
  isWatched = false,
): Promise<void> {
  loadEnvFile(process.env);
  const io = createProcessIo(channel, isWatched);
  // A closed pipe, as by `head`, does not stop the work. `findLateFailure` checks that a replay's report was written.
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && !isHosting) throw error;
    });

  let exitCode = await run(args, io);
  if (isHosting && exitCode === EXIT_CODES.success) {
    const error = await findLateFailure();
    if (error !== undefined) {
      io.stderr.write(formatError(error, { isJson: args.includes('--json'), env: io.env }));
      exitCode = error.exitCode;
    }
  }
  isOver = true;
  process.exitCode = exitCode;
  await channel?.send({ exitCode });
  if (!isHosting) return;
  setTimeout(endAnyway, LEFT_OPEN_MS).unref();
  process.once('beforeExit', () => void pollSignals());
}

/** A problem that occurred after the result was known: an unwritten report, or a signal. */
async function findLateFailure(): Promise<CliError | undefined> {
  const cause = await new Promise<Error | null | undefined>((resolve) => toStdout('', resolve));
  if (cause) return new ReportNotPrintedError({ cause });
  await pollSignals();
  return stopSignal && new SignalAtEndError(reportedRun?.testRunId, stopSignal);
}

/** Two immediates make the event loop poll once, which delivers signals sent during this turn. */
async function pollSignals(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function endAnyway(): void {
  const open = [...new Set(process.getActiveResourcesInfo())].join(', ');
  process.stderr.write(`The application still has ${open} open, so it was ended.\n`);
  process.exit();
}
