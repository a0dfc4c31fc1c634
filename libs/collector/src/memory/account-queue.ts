/** A queue in which accounts take turns. Items of one account keep their order. */
export class AccountQueue<T> {
  /** The first account is next. */
  private readonly waiting = new Map<string, T[]>();

  add(account: string, item: T): void {
    const own = this.waiting.get(account);
    if (own) own.push(item);
    else this.waiting.set(account, [item]);
  }

  /** @param mayTake skips an account whose items must wait */
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
