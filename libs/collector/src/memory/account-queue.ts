/** What waits, by account: the accounts take turns, and each is first come, first served. */
export class AccountQueue<T> {
  /** The account whose turn is next is the first. */
  private readonly waiting = new Map<string, T[]>();

  add(account: string, item: T): void {
    const own = this.waiting.get(account);
    if (own) own.push(item);
    else this.waiting.set(account, [item]);
  }

  /** @param mayTake passes over an account whose items must wait longer */
  take(mayTake?: (account: string) => boolean): { account: string; item: T } | undefined {
    for (const [account, own] of this.waiting) {
      if (mayTake?.(account) === false) continue;
      const item = own.shift();
      this.waiting.delete(account);
      if (own.length > 0) this.waiting.set(account, own);
      return item === undefined ? undefined : { account, item };
    }
    return undefined;
  }

  get size(): number {
    let items = 0;
    for (const own of this.waiting.values()) items += own.length;
    return items;
  }
}
