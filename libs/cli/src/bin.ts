import type { CliIo, StopSignal } from './io.js';
import { run } from './run.js';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** How long code of an application may go on after the command: enough to close what it closes by itself. */
const LEFT_OPEN_MS = 2_000;

/**
 * The first signal asks to stop; the second one does what it does to a program that handles none. `process.exit` would
 * abort there: the database's worker thread cannot be unloaded in the middle of its work.
 */
function untilStopped(): Promise<StopSignal> {
  return new Promise((resolve) => {
    const stop = (signal: StopSignal): void => {
      for (const each of STOP_SIGNALS) process.removeListener(each, stop);
      resolve(signal);
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
  });
}

const stdout = { write: process.stdout.write.bind(process.stdout) };
let isHosting = false;

const io: CliIo = {
  stdout,
  stderr: process.stderr,
  env: process.env,
  untilStopped,
  hostApplication(env) {
    isHosting = true;
    Object.assign(process.env, env);
    process.stdout.write = process.stderr.write.bind(process.stderr);
  },
};

void run(process.argv.slice(2), io).then((exitCode) => {
  process.exitCode = exitCode;
  if (isHosting) setTimeout(endAnyway, LEFT_OPEN_MS).unref();
});

function endAnyway(): void {
  const open = [...new Set(process.getActiveResourcesInfo())].join(', ');
  process.stderr.write(`The application left something open (${open}): ended without waiting for it.\n`);
  process.exit();
}
