import { createInterface } from 'node:readline';
import type { CliIo, StopSignal } from './io.js';
import { CLEAR_LINE } from './replay/progress.js';
import { run } from './run.js';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** How long code of an application may go on after the command: enough to close what it closes by itself. */
const LEFT_OPEN_MS = 2_000;

/**
 * The first signal asks to stop; the second one does what it does to a program that handles none. `process.exit` would
 * abort there: the database's worker thread cannot be unloaded in the middle of its work. Until then the listener stays:
 * SDKs that an application loads end the process on a signal that nobody else listens to.
 */
function untilStopped(): Promise<StopSignal> {
  return new Promise((resolve) => {
    let isAsked = false;
    const stop = (signal: StopSignal): void => {
      if (isAsked) {
        process.removeAllListeners(signal);
        process.kill(process.pid, signal);
        return;
      }
      isAsked = true;
      resolve(signal);
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
  });
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

const toStdout = process.stdout.write.bind(process.stdout);
const toStderr = process.stderr.write.bind(process.stderr);
let isHosting = false;
/** A line of ours that has not ended yet: a bar. What the application prints takes its place; it is drawn again below. */
let isLineOpen = false;

const io: CliIo = {
  stdout: { write: toStdout, isTTY: process.stdout.isTTY },
  stderr: {
    isTTY: process.stderr.isTTY,
    write(text) {
      isLineOpen = !text.endsWith('\n');
      return toStderr(text);
    },
  },
  env: process.env,
  untilStopped,
  confirm,
  hostApplication(env) {
    isHosting = true;
    Object.assign(process.env, env);
    const print = (...written: Parameters<typeof toStderr>): boolean => {
      if (isLineOpen && process.stderr.isTTY) toStderr(CLEAR_LINE);
      isLineOpen = false;
      return toStderr(...written);
    };
    process.stdout.write = print as typeof process.stdout.write;
  },
};

// Who read what is printed went away, as `head` does: the work goes on, and its exit code counts.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

void run(process.argv.slice(2), io).then((exitCode) => {
  process.exitCode = exitCode;
  if (isHosting) setTimeout(endAnyway, LEFT_OPEN_MS).unref();
});

function endAnyway(): void {
  const open = [...new Set(process.getActiveResourcesInfo())].join(', ');
  process.stderr.write(`The application left something open (${open}): ended without waiting for it.\n`);
  process.exit();
}
