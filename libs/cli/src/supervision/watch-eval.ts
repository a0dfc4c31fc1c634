import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXIT_CODES } from '../exit-codes.js';
import { STOP_SIGNALS, type StopSignal } from '../io.js';
import { FileWatch } from './file-watch.js';

/** Set in the child process, which evaluates once. */
const WATCHED = 'DACAPO_WATCHED';

/** Makes Node's loaders report loaded files to the parent process. */
const REPORT = 'WATCH_REPORT_DEPENDENCIES';

/** Message field with the path of a missing module. */
const MISSING = 'dacapo:missing';

/**
 * Runs `dacapo eval --watch`: each run is a new process, started when an eval file, a loaded module or a data file changes. Ends when the
 * user stops it.
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
    // A change during a run ends it.
    void changed.then(() => run.kill());
    await ended;
    child = undefined;
    if (stopped !== undefined) process.exit(EXIT_CODES[stopped]);
    process.stderr.write('Waiting for changes. Press Ctrl+C to stop.\n');
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

/** Files in a message of Node's loaders. Ignores the application's own messages. */
function loadedFiles(message: unknown): string[] {
  if (typeof message !== 'object' || message === null) return [];
  const { 'watch:require': paths, 'watch:import': urls } = message as Record<string, unknown>;
  const onlyStrings = (list: unknown): string[] =>
    Array.isArray(list) ? list.filter((text) => typeof text === 'string') : [];
  return [
    ...onlyStrings(paths),
    ...onlyStrings(urls).flatMap((url) => {
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

/** Whether a watching process started this one. Removes the variable, so that child processes do not inherit it. */
export function takeWatchMark(): boolean {
  const isWatched = process.env[WATCHED] !== undefined;
  Reflect.deleteProperty(process.env, WATCHED);
  return isWatched;
}

/** Watches a file that is not imported, such as a data file. Does nothing without `--watch`. */
export function watchFile(path: string): void {
  if (process.env[REPORT] !== undefined) process.send?.({ 'watch:require': [path] });
}

/**
 * Watches for a module that could not be imported, because loaders report only loaded files.
 *
 * @param error whose cause may be Node's error
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
