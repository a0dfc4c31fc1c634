import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { EXIT_CODES } from '../exit-codes.js';
import { STOP_SIGNALS, type StopSignal } from '../io.js';

/** Marks the process that Node runs again and again. */
const WATCHED = 'DACAPO_WATCHED';

/**
 * Runs `dacapo eval --watch` under Node's own `--watch`: a fresh process for each run, and a new run when a module that the last one
 * loaded, or a data file, changes. Ends when the person stops it.
 */
export async function watchEval(args: readonly string[]): Promise<void> {
  const [, program = ''] = process.argv;
  const own = ['--watch', '--watch-preserve-output'];
  const child = spawn(process.execPath, [...own, ...process.execArgv, program, ...args], {
    stdio: 'inherit',
    env: { ...process.env, [WATCHED]: '1' },
  });
  let stopped: StopSignal | undefined;
  for (const signal of STOP_SIGNALS)
    process.on(signal, () => {
      const isFirst = stopped === undefined;
      stopped ??= signal;
      child.kill(isFirst ? signal : 'SIGKILL');
    });
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = stopped === undefined ? (code ?? EXIT_CODES.failure) : EXIT_CODES[stopped];
}

/** Whether Node runs this process again when a file changes. Programs that it starts do not inherit the mark. */
export function takeWatchMark(): boolean {
  const isWatched = process.env[WATCHED] !== undefined;
  Reflect.deleteProperty(process.env, WATCHED);
  return isWatched;
}

/** Watches a file that no module imports, such as a table of data. Does nothing without `--watch`. */
export function watchFile(path: string): void {
  if (process.env['WATCH_REPORT_DEPENDENCIES'] !== undefined) process.send?.({ 'watch:require': [path] });
}
