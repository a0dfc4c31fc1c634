import { Injectable } from '@nestjs/common';
import { AccountQueue } from './account-queue.js';

/**
 * Shares the main thread. Long work is done in pieces that wait for their turns. Each iteration of the event loop gives one turn, so
 * that other requests are answered in between, and accounts take turns.
 */
@Injectable()
export class Turns {
  private readonly waiting = new AccountQueue<() => void>();
  private isGiving = false;

  /** @param account for which the work is done; the service's own work when absent */
  next(account = ''): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.add(account, resolve);
      if (this.isGiving) return;
      this.isGiving = true;
      setImmediate(this.give);
    });
  }

  /** The turns of one account. */
  of(account: string): Pick<Turns, 'next'> {
    return { next: () => this.next(account) };
  }

  private readonly give = (): void => {
    const next = this.waiting.take();
    this.isGiving = this.waiting.size > 0;
    if (this.isGiving) setImmediate(this.give);
    next?.item();
  };
}

/** The turns of the main thread. All long work uses them, so that one piece runs at a time. */
export const MAIN_THREAD = new Turns();
