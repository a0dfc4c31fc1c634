/** From then on the bound does not double any more: the numbers would grow beyond what is exact. */
const MAX_DOUBLINGS = 30;
/** A service that asks for more than this is asked again all the same. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

/**
 * Pauses between tries with full jitter: uniform up to a bound that doubles, so that clients spread out. Never none: a
 * failed try is not followed by another one before `shutdown` can end them.
 */
export class Backoff {
  constructor(
    private readonly minDelayMs: number,
    private readonly maxDelayMs: number,
    private readonly random: () => number,
  ) {}

  /** @param failures tries that failed in a row, from 1 */
  delayMs(failures: number): number {
    return Math.max(1, Math.round(this.random() * this.boundMs(failures)));
  }

  /** No less than the service asked for, and up to half as long again: all its clients heard of the same moment. */
  delayAfterMs(retryAfterMs: number, failures: number): number {
    const moreMs = this.random() * Math.max(retryAfterMs / 2, this.boundMs(failures));
    return Math.max(1, retryAfterMs + Math.round(moreMs));
  }

  private boundMs(failures: number): number {
    return Math.min(this.minDelayMs * 2 ** Math.min(failures - 1, MAX_DOUBLINGS), this.maxDelayMs);
  }
}

/**
 * Reads a `Retry-After` header (RFC 9110 §10.2.3): whole seconds, or an HTTP date.
 *
 * @returns milliseconds from now, at most five minutes; `undefined` when the header is absent or says neither
 */
export function parseRetryAfter(header: string | undefined, epochMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Math.min(Number(text) * 1000, MAX_RETRY_AFTER_MS);
  if (!/^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.min(Math.max(date - epochMs, 0), MAX_RETRY_AFTER_MS);
}
