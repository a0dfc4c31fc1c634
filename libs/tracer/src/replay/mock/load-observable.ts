import { createRequire } from 'node:module';
import { join } from 'node:path';

export interface Subscriber {
  readonly closed?: boolean;
  next(value: unknown): void;
  error(error: unknown): void;
  complete(): void;
}

export type ObservableClass = new (subscribe: (subscriber: Subscriber) => void) => object;

/** Frames of ours that stand between a call and this. */
const MOST_FRAMES = 50;

/**
 * The Observable of the application's `rxjs`: that of the files that lead to this call, of the script that was started, of
 * the working directory, or the one beside this package. `undefined` when there is none.
 */
export function loadObservable(): ObservableClass | undefined {
  const folder = join(process.cwd(), 'package.json');
  const [ownFile = folder, ...callers] = listStackFiles();
  for (const file of [...callers, process.argv[1] ?? folder, folder, ownFile]) {
    try {
      const rxjs = createRequire(file)('rxjs') as { Observable?: ObservableClass };
      if (rxjs.Observable !== undefined) return rxjs.Observable;
    } catch {
      // It may be beside the next one.
    }
  }
  return undefined;
}

/** Paths or `file:` addresses, each once: this file, then those that lead to it, the nearest first. */
function listStackFiles(): string[] {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = MOST_FRAMES;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  const files = stack
    .split('\n')
    .flatMap((line) => /((?:file:|\/|[A-Z]:\\)[^()]*):\d+:\d+\)?$/.exec(line)?.[1] ?? []);
  return [...new Set(files)];
}
