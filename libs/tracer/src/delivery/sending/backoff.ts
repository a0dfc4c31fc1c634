const DOUBLINGS_MOST = 30;

/** Pauses between tries with full jitter: uniform from 0 to a bound that doubles, so that clients spread out. */
export class Backoff {
  constructor(
    private readonly minDelayMs: number,
    private readonly maxDelayMs: number,
    private readonly random: () => number,
  ) {}

  /** @param failures tries that failed in a row, from 1 */
  delayMs(failures: number): number {
    const bound = this.minDelayMs * 2 ** Math.min(failures - 1, DOUBLINGS_MOST);
    return Math.round(this.random() * Math.min(bound, this.maxDelayMs));
  }
}
