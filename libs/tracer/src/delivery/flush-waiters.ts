import { LONGEST_TIMER_MS } from '../options/option.js';
import { clearTimeout, setTimeout } from './timers.js';

interface Waiter {
  readonly sequence: number;
  readonly mayGiveUp: () => boolean;
  readonly finish: (isDone: boolean) => void;
}

/** Callers that wait for batches to be delivered. While one waits, the process stays alive. */
export class FlushWaiters {
  private readonly waiters = new Set<Waiter>();

  constructor(private readonly holds: (sequence: number) => boolean) {}

  get isAwaited(): boolean {
    return this.waiters.size > 0;
  }

  /**
   * @param sequence the last batch that must be delivered
   * @param mayGiveUp whether more waiting is useless now
   * @returns whether they were delivered
   */
  wait(sequence: number, timeoutMs: number, mayGiveUp: () => boolean): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => {
          waiter.finish(false);
        },
        Math.min(timeoutMs, LONGEST_TIMER_MS),
      );
      const waiter: Waiter = {
        sequence,
        mayGiveUp,
        finish: (isDone) => {
          clearTimeout(timer);
          this.waiters.delete(waiter);
          resolve(isDone);
        },
      };
      this.waiters.add(waiter);
      this.check();
    });
  }

  /** Call it when a batch was delivered or failed. */
  check(): void {
    for (const waiter of this.waiters) {
      if (!this.holds(waiter.sequence)) waiter.finish(true);
      else if (waiter.mayGiveUp()) waiter.finish(false);
    }
  }
}
