import type { CliIo, TextSink } from '../io.js';

const EVERY_MS = 1_000;
/** Erases the line of a terminal that the cursor is on. */
export const CLEAR_LINE = '\r\u001b[2K';

/** Calls `tick` once a second. @returns what ends it */
export type Ticker = (tick: () => void) => () => void;

const everySecond: Ticker = (tick) => {
  const timer = setInterval(tick, EVERY_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
};

/**
 * Shows on a terminal how long a command works, until it prints something, asks, or runs an application. Commands with a progress of
 * their own replace it with their first line.
 *
 * @param name such as `dacapo import`
 * @returns the streams for the command, and what ends the line
 */
export function showWaiting(
  io: CliIo,
  name: string,
  ticker: Ticker = everySecond,
): { readonly io: CliIo; readonly end: () => void } {
  if (io.stderr.isTTY !== true) return { io, end: () => undefined };
  let elapsedS = 0;
  const stop = ticker(() => {
    elapsedS++;
    io.stderr.write(`${CLEAR_LINE}${name}: ${elapsedS} s`);
  });
  const end = (): void => {
    stop();
    if (elapsedS > 0) io.stderr.write(CLEAR_LINE);
    elapsedS = 0;
  };
  return {
    end,
    io: {
      env: io.env,
      stdout: endedBefore(io.stdout, end),
      stderr: endedBefore(io.stderr, end),
      untilStopped: () => io.untilStopped(),
      ask(question) {
        end();
        return io.ask(question);
      },
      confirm(question) {
        end();
        return io.confirm(question);
      },
      hostApplication(env) {
        end();
        io.hostApplication(env);
      },
      reportRun: (testRun) => io.reportRun?.(testRun),
    },
  };
}

function endedBefore(sink: TextSink, end: () => void): TextSink {
  return {
    get isTTY() {
      return sink.isTTY;
    },
    get columns() {
      return sink.columns;
    },
    get rows() {
      return sink.rows;
    },
    write(text) {
      end();
      return sink.write(text);
    },
    ...(sink.redraw && {
      redraw(block: string) {
        end();
        sink.redraw?.(block);
      },
    }),
  };
}
