import { createInterface } from 'node:readline';
import { type CliIo, type ReportedRun, STOP_SIGNALS, type StopSignal } from './io.js';
import { formatError } from './output/format-error.js';
import type { CliError } from './errors.js';
import { EXIT_CODES } from './exit-codes.js';
import { ReportNotPrintedError, SignalAtEndError } from './replay/errors.js';
import { CLEAR_LINE } from './replay/progress.js';
import { run } from './run.js';
import type { SupervisorChannel } from './supervision/supervisor-channel.js';

/** How long code of an application may go on after the command: enough to close what it closes by itself. */
const LEFT_OPEN_MS = 2_000;

const toStdout = process.stdout.write.bind(process.stdout);
const toStderr = process.stderr.write.bind(process.stderr);
let isHosting = false;
let stopSignal: StopSignal | undefined;
let reportedRun: ReportedRun | undefined;
/** Whether the command has ended: what still runs is the application's. */
let isOver = false;
/** How many lines of ours are above an open one, as a progress bar or a table; `undefined` where no line is open. */
let openLines: number | undefined;

/** What the application prints takes the place of what is drawn. */
function eraseDrawing(): void {
  if (openLines !== undefined && process.stderr.isTTY)
    toStderr(openLines === 0 ? CLEAR_LINE : `\r\u001b[${openLines}A\u001b[J`);
  openLines = undefined;
}

/** The question is no output: it goes to stderr. The end of input is a no; Ctrl+C ends the process, as anywhere. */
function confirm(question: string): Promise<boolean | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return Promise.resolve(undefined);
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  return new Promise((resolve) => {
    lines.once('close', () => {
      resolve(false);
    });
    lines.question(question, (answer) => {
      resolve(/^y(es)?$/i.test(answer.trim()));
      lines.close();
    });
  });
}

/**
 * The first signal asks to stop. The second one does what it does to a program that handles none: `process.exit` would abort
 * there, as the database's worker thread cannot be unloaded in the middle of its work. A supervisor ends its replay itself,
 * and a terminal's Ctrl+C arrives here twice, so the second one is ignored there. Until then the listener stays: SDKs that an
 * application loads end the process on a signal that nobody else listens to.
 */
function untilStopped(channel: SupervisorChannel | undefined): Promise<StopSignal> {
  return new Promise((resolve) => {
    let isAsked = false;
    const stop = (signal: StopSignal): void => {
      if (isOver || (isAsked && channel === undefined)) {
        process.removeAllListeners(signal);
        process.kill(process.pid, signal);
        return;
      }
      isAsked = true;
      stopSignal ??= signal;
      resolve(signal);
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
  });
}

function ioOfProcess(channel: SupervisorChannel | undefined, isWatched: boolean): CliIo {
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
        // A line that is wider than the terminal is cut, and not wrapped: what erases it counts lines.
        toStderr(`\u001b[?7l${block}\u001b[?7h`);
        openLines = block.split('\n').length - 1;
      },
    },
    env: process.env,
    untilStopped: () => untilStopped(channel),
    confirm,
    hostApplication(env) {
      if (channel === undefined && !isWatched)
        throw new Error('An application is loaded in a supervised process only.');
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
 * @param channel to the supervisor that started this process for a replay or an evaluation
 * @param isWatched whether Node runs this process again when a file changes; nobody reads its exit code
 */
export async function runCommand(
  args: readonly string[],
  channel: SupervisorChannel | undefined,
  isWatched = false,
): Promise<void> {
  const io = ioOfProcess(channel, isWatched);
  // The reader of the output closed it, as `head` does: the work goes on. A replay checks at its end that its report was read.
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

/** What kept the command from its end after the result was known. */
async function findLateFailure(): Promise<CliError | undefined> {
  const cause = await new Promise<Error | null | undefined>((resolve) => toStdout('', resolve));
  if (cause) return new ReportNotPrintedError({ cause });
  await pollSignals();
  return stopSignal && new SignalAtEndError(reportedRun?.testRunId, stopSignal);
}

/** A signal that was sent in this turn of the event loop is seen when the loop polls, which it does between two immediates. */
async function pollSignals(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function endAnyway(): void {
  const open = [...new Set(process.getActiveResourcesInfo())].join(', ');
  process.stderr.write(`The application left something open (${open}): ended without waiting for it.\n`);
  process.exit();
}
