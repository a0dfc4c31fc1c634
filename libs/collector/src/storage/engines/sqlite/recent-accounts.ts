const RECENT_MS = 10_000;

/** Tracks which accounts wrote recently. An account without recent others may write a whole batch at once. */
export class RecentAccounts {
  private latest = { account: '', atMs: -Infinity };
  /** The latest write of any other account. */
  private other = this.latest;

  note(account: string, nowMs = performance.now()): void {
    if (account !== this.latest.account) this.other = this.latest;
    this.latest = { account, atMs: nowMs };
  }

  hasOthers(account: string, nowMs = performance.now()): boolean {
    const { atMs } = account === this.latest.account ? this.other : this.latest;
    return nowMs - atMs < RECENT_MS;
  }
}
