/** Keeps the computed bound an exact number, however many attempts fail. */
const MAX_DOUBLINGS = 30;

/**
 * Computes the delay before a retry with full jitter: uniform up to a bound that doubles with each failure, so that clients
 * spread out. The delay is at least 1 ms, so that `shutdown` can stop the retries.
 */
export class Backoff {
  constructor(
    private readonly minDelayMs: number,
    private readonly maxDelayMs: number,
    private readonly random: () => number,
  ) {}

  /** @param failures consecutive failed attempts, from 1 */
  delayMs(failures: number): number {
    return Math.max(1, Math.round(this.random() * this.boundMs(failures)));
  }

  /** At least the delay that the service requested. Jitter adds up to half of it, because all clients got the same time. */
  delayAfterMs(retryAfterMs: number, failures: number): number {
    const moreMs = this.random() * Math.max(retryAfterMs / 2, this.boundMs(failures));
    return Math.max(1, retryAfterMs + Math.round(moreMs));
  }

  private boundMs(failures: number): number {
    return Math.min(this.minDelayMs * 2 ** Math.min(failures - 1, MAX_DOUBLINGS), this.maxDelayMs);
  }
}
