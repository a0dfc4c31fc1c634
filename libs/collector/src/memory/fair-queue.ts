import { AccountQueue } from './account-queue.js';

/** Runs one piece of work at a time and lets accounts take turns, so that an account with much work delays only itself. */
export class FairQueue {
  private isBusy = false;
  private readonly waiting = new AccountQueue<() => void>();

  async run<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    if (this.isBusy) {
      await new Promise<void>((resolve) => {
        this.waiting.add(accountId, resolve);
      });
    }
    this.isBusy = true;
    try {
      return await work();
    } finally {
      const next = this.waiting.take();
      if (next) next.item();
      else this.isBusy = false;
    }
  }
}
