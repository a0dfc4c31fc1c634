/** How many batches may be on their way: one more after each full round that went well, half after a failure. */
export class ConcurrencyLimit {
  private limit = 2;
  private successes = 0;

  constructor(private readonly most: number) {
    this.limit = Math.min(this.limit, most);
  }

  get current(): number {
    return this.limit;
  }

  /** @param saturated whether more batches waited than were on their way: else more would not help */
  succeeded(saturated: boolean): void {
    if (!saturated || this.limit >= this.most || ++this.successes < this.limit) return;
    this.successes = 0;
    this.limit++;
  }

  failed(): void {
    this.successes = 0;
    this.limit = Math.max(1, Math.floor(this.limit / 2));
  }
}
