/** Work that only one process at a time may do, of all that share a store. */
export abstract class Locks {
  /**
   * Does work once no other process does what has this name.
   *
   * @param work its signal is aborted when others may begin, because the lock was lost: it is to end soon
   * @param stopping ends the waiting
   * @returns `undefined` when it was stopped before the work began
   */
  abstract exclusively<T>(
    name: string,
    work: (lost: AbortSignal) => Promise<T>,
    stopping?: AbortSignal,
  ): Promise<T | undefined>;
}

/** Of a store that one process has for itself. */
export class OwnLocks extends Locks {
  exclusively<T>(_name: string, work: (lost: AbortSignal) => Promise<T>): Promise<T> {
    return work(new AbortController().signal);
  }
}
