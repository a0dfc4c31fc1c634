/** What is told when the process (in a worker: the thread) comes to its end. */
export interface ExitListener {
  /** Nothing is left to do. Work that is started now keeps the process up. */
  onBeforeExit(): void;
  /** The end. Only what is done at once is done at all. */
  onExit(): void;
}

const KEY = Symbol.for('@dacapo/exit-listeners');

const globals: typeof globalThis & { [KEY]?: Set<WeakRef<ExitListener>> | undefined } = globalThis;

/**
 * Tells `listener` of the end for as long as someone else holds it.
 *
 * However many there are, from however many copies of this package, the process gets one listener for `beforeExit`
 * and one for `exit`. Signals and uncaught errors stay the application's: `exit` runs after an uncaught error as well.
 */
export function listenForExit(listener: ExitListener): void {
  const listeners = (globals[KEY] ??= install());
  for (const reference of listeners) if (reference.deref() === undefined) listeners.delete(reference);
  listeners.add(new WeakRef(listener));
}

function install(): Set<WeakRef<ExitListener>> {
  const listeners = new Set<WeakRef<ExitListener>>();
  const tell = (event: keyof ExitListener) => () => {
    for (const reference of listeners) {
      try {
        reference.deref()?.[event]();
      } catch {
        // The end of the process is the application's; nothing of ours may change its exit code.
      }
    }
  };
  process.on('beforeExit', tell('onBeforeExit'));
  process.on('exit', tell('onExit'));
  return listeners;
}
