import { run } from './run.js';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * The first signal asks to stop; the second one does what it does to a program that handles none. `process.exit` would
 * abort there: the database's worker thread cannot be unloaded in the middle of its work.
 */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      for (const signal of STOP_SIGNALS) process.removeListener(signal, stop);
      resolve();
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
  });
}

void run(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  untilStopped,
}).then((exitCode) => {
  process.exitCode = exitCode;
});
