import { createRequire } from 'node:module';
import { join } from 'node:path';

export interface Subscriber {
  readonly closed?: boolean;
  next(value: unknown): void;
  error(error: unknown): void;
  complete(): void;
}

export type ObservableClass = new (subscribe: (subscriber: Subscriber) => void) => object;

/** The Observable of the application's `rxjs`; `undefined` when it has none. */
export function loadObservable(): ObservableClass | undefined {
  for (const folder of [process.cwd(), join(process.argv[1] ?? '', '..')]) {
    try {
      const rxjs = createRequire(join(folder, 'package.json'))('rxjs') as { Observable?: ObservableClass };
      if (rxjs.Observable !== undefined) return rxjs.Observable;
    } catch {
      continue;
    }
  }
  return undefined;
}
