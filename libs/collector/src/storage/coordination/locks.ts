/** Runs work in only one of the processes that share a store at a time. */
export abstract class Locks {
  /**
   * Waits until no other process runs work with this name, then runs it.
   *
   * @param work its signal is aborted when the lock is lost; it must end soon, because another process may begin
   * @param stopping ends the wait
   * @returns `undefined` if stopped before the work began
   */
  abstract exclusively<T>(
    name: string,
    work: (lost: AbortSignal) => Promise<T>,
    stopping?: AbortSignal,
  ): Promise<T | undefined>;
}

/** Locks of a store that only one process uses. */
export class OwnLocks extends Locks {
  exclusively<T>(_name: string, work: (lost: AbortSignal) => Promise<T>): Promise<T> {
    return work(new AbortController().signal);
  }
}
