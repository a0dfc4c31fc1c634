import { run } from './run.js';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** What shells report for a process that Ctrl+C ended. */
const INTERRUPTED = 130;

/** The first signal asks to stop, the second one does not wait any longer. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const stop = (): void => {
      if (asked) process.exit(INTERRUPTED);
      asked = true;
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
