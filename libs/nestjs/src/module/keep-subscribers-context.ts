import { createRequire } from 'node:module';
import { join } from 'node:path';
import { holdSubscribersContext, rxjsCopyOf } from '@dacapo/tracer/internal';
import { EMPTY } from 'rxjs';

/**
 * Has Observables of each copy of RxJS that the application loaded keep the context of their subscriber, until
 * `holder` is released: the copy that Nest shares with this package, and those that the started script and the working
 * directory use. One that is found nowhere is wrapped when a recorded method first returns an Observable of it.
 */
export function keepSubscribersContext(holder: object): void {
  for (const observable of [EMPTY, ...loadedObservables()]) {
    const copy = rxjsCopyOf(observable);
    if (copy !== undefined) holdSubscribersContext(holder, copy);
  }
}

/** An Observable of each; a copy that is not loaded yet is not loaded for this. */
function loadedObservables(): object[] {
  const folder = join(process.cwd(), 'package.json');
  return [process.argv[1] ?? folder, folder].flatMap((file) => {
    try {
      const require = createRequire(file);
      const rxjs = require.cache[require.resolve('rxjs')]?.exports as { EMPTY?: object } | undefined;
      return rxjs?.EMPTY ?? [];
    } catch {
      // It is not installed there.
      return [];
    }
  });
}
