/** Listens for the end of the process (in a worker: of the thread). */
export interface ExitListener {
  /** The process has no work left. Work that starts now keeps it alive. */
  onBeforeExit(): void;
  /** The process ends. Only synchronous work runs. */
  onExit(): void;
  /** Work that delays the end, after all listeners were called. */
  startExitWork?(): ExitWork | undefined;
}

/** Work at the end of the process, in steps, so that several listeners take turns. */
export interface ExitWork {
  /** Waits for at most `waitMs`. @returns whether more work remains */
  step(waitMs: number): boolean;
  finish(): void;
}

const KEY = Symbol.for('@dacapo/exit-listeners');
const WAIT_ALONE_MS = 100;
const WAIT_IN_TURN_MS = 2;

const globals: typeof globalThis & { [KEY]?: Set<WeakRef<ExitListener>> | undefined } = globalThis;

/**
 * Calls `listener` at the end, as long as other code holds a reference to it.
 *
 * For all listeners and all copies of this package, the process has one listener for `beforeExit`
 * and one for `exit`. Signals and uncaught errors stay the application's: `exit` runs after an uncaught error as well.
 */
export function listenForExit(listener: ExitListener): void {
  const listeners = (globals[KEY] ??= install());
  for (const reference of listeners) if (reference.deref() === undefined) listeners.delete(reference);
  listeners.add(new WeakRef(listener));
}

function install(): Set<WeakRef<ExitListener>> {
  const references = new Set<WeakRef<ExitListener>>();
  const listeners = () => [...references].flatMap((reference) => reference.deref() ?? []);
  process.on('beforeExit', () => {
    for (const listener of listeners())
      quietly(() => {
        listener.onBeforeExit();
      });
  });
  process.on('exit', () => {
    for (const listener of listeners())
      quietly(() => {
        listener.onExit();
      });
    const works = listeners().flatMap((listener) => quietly(() => listener.startExitWork?.()) ?? []);
    let going = works;
    while (going.length > 0) {
      const waitMs = going.length === 1 ? WAIT_ALONE_MS : WAIT_IN_TURN_MS;
      going = going.filter((work) => quietly(() => work.step(waitMs)) === true);
    }
    for (const work of works)
      quietly(() => {
        work.finish();
      });
  });
  return references;
}

/** The application decides how the process ends: a failure of ours must not change its exit code. */
function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
