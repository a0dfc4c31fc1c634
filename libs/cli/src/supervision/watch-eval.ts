import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXIT_CODES } from '../exit-codes.js';
import { STOP_SIGNALS, type StopSignal } from '../io.js';
import { FileWatch } from './file-watch.js';

/** Marks the process that evaluates once. */
const WATCHED = 'DACAPO_WATCHED';

/** Node's loaders report what they load to the parent process when this is set. */
const REPORT = 'WATCH_REPORT_DEPENDENCIES';

/** Names a module that an eval file imports and that does not exist. */
const MISSING = 'dacapo:missing';

/**
 * Runs `dacapo eval --watch`: a fresh process for each run, and a new run when an eval file, a module that a run loaded, or a data file
 * changes. Ends when the person stops it.
 */
export async function watchEval(args: readonly string[]): Promise<void> {
  const files = new FileWatch();
  for (const word of args) if (!word.startsWith('-')) files.add(resolve(word));
  let stopped: StopSignal | undefined;
  let child: ChildProcess | undefined;
  for (const signal of STOP_SIGNALS)
    process.on(signal, () => {
      if (child === undefined) process.exit(EXIT_CODES[signal]);
      child.kill(stopped === undefined ? signal : 'SIGKILL');
      stopped ??= signal;
    });
  for (;;) {
    const run = startRun(args, files);
    child = run;
    const ended = once(run, 'exit');
    const changed = files.nextChange();
    // A change in the middle of a run ends it.
    void changed.then(() => run.kill());
    await ended;
    child = undefined;
    if (stopped !== undefined) process.exit(EXIT_CODES[stopped]);
    process.stderr.write('Waiting for a change. Press Ctrl+C to end.\n');
    await changed;
  }
}

function startRun(args: readonly string[], files: FileWatch): ChildProcess {
  const [, program = ''] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, program, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [WATCHED]: '1', [REPORT]: '1' },
  });
  child.on('message', (message) => {
    for (const path of loadedFiles(message)) files.add(path);
    if (isMissing(message)) files.addMissing(message[MISSING]);
  });
  return child;
}

/** The files that a message of Node's loaders names. The application may send messages of its own. */
function loadedFiles(message: unknown): string[] {
  if (typeof message !== 'object' || message === null) return [];
  const { 'watch:require': paths, 'watch:import': urls } = message as Record<string, unknown>;
  const textsOf = (list: unknown): string[] =>
    Array.isArray(list) ? list.filter((text) => typeof text === 'string') : [];
  return [
    ...textsOf(paths),
    ...textsOf(urls).flatMap((url) => {
      try {
        return [fileURLToPath(url)];
      } catch {
        return [];
      }
    }),
  ];
}

function isMissing(message: unknown): message is { [MISSING]: string } {
  return typeof message === 'object' && message !== null && typeof Reflect.get(message, MISSING) === 'string';
}

/** Whether this process evaluates once for a watching one. Programs that it starts do not inherit the mark. */
export function takeWatchMark(): boolean {
  const isWatched = process.env[WATCHED] !== undefined;
  Reflect.deleteProperty(process.env, WATCHED);
  return isWatched;
}

/** Watches a file that no module imports, such as a table of data. Does nothing without `--watch`. */
export function watchFile(path: string): void {
  if (process.env[REPORT] !== undefined) process.send?.({ 'watch:require': [path] });
}

/**
 * Watches for the module that could not be imported, so that it starts a run when it comes back. Loaders report only what they load.
 *
 * @param error what failed, whose cause may be Node's error
 */
export function watchMissingModule(error: unknown): void {
  const cause = error instanceof Error ? error.cause : undefined;
  const path = cause instanceof Error ? missingPath(cause) : undefined;
  if (path !== undefined && process.env[REPORT] !== undefined) process.send?.({ [MISSING]: path });
}

function missingPath(
  cause: Error & { code?: unknown; url?: unknown; requireStack?: unknown },
): string | undefined {
  const { code, url, requireStack, message } = cause;
  if (code === 'ERR_MODULE_NOT_FOUND' && typeof url === 'string' && url.startsWith('file:'))
    return fileURLToPath(url);
  if (code !== 'MODULE_NOT_FOUND' || !Array.isArray(requireStack)) return undefined;
  const [importer] = requireStack as unknown[];
  const [, name] = /^Cannot find module '([^']+)'/.exec(message) ?? [];
  const isPath = name !== undefined && (name.startsWith('.') || isAbsolute(name));
  return isPath && typeof importer === 'string' ? resolve(dirname(importer), name) : undefined;
}
