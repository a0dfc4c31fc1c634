/** Lets one do something at a time, the accounts in turn: who asks for much waits behind his own, and others not behind him. */
export class FairQueue {
  private isBusy = false;
  /** The account whose turn is next is the first. */
  private readonly waiting = new Map<string, (() => void)[]>();

  async run<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    if (this.isBusy) await this.turnOf(accountId);
    this.isBusy = true;
    try {
      return await work();
    } finally {
      this.giveTurn();
    }
  }

  private turnOf(accountId: string): Promise<void> {
    return new Promise((resolve) => {
      const own = this.waiting.get(accountId);
      if (own) own.push(resolve);
      else this.waiting.set(accountId, [resolve]);
    });
  }

  private giveTurn(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.isBusy = false;
      return;
    }
    const [accountId, [first, ...others]] = next;
    this.waiting.delete(accountId);
    if (others.length > 0) this.waiting.set(accountId, others);
    first?.();
  }
}
