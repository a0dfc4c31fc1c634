/** A burst may have as many requests as the limit allows in this time. */
const BURST_S = 10;
const MAX_KEYS_IN_MEMORY = 10_000;

/** A token bucket for each limited key, shared by all processes of a store. */
export abstract class RateLimits {
  /** Takes a token and returns 0, or returns the wait for the next token in whole seconds. */
  abstract take(keyId: string, requestsPerMinute: number, nowUs: number): Promise<number> | number;
}

interface Bucket {
  tokens: number;
  filledUs: number;
}

/** Buckets in memory, for a store that only one process uses. A restart fills them. */
export class OwnRateLimits extends RateLimits {
  private readonly buckets = new Map<string, Bucket>();

  take(keyId: string, requestsPerMinute: number, nowUs: number): number {
    const perUs = requestsPerMinute / 60e6;
    const capacity = burstSize(requestsPerMinute);
    const bucket = this.buckets.get(keyId) ?? { tokens: capacity, filledUs: nowUs };
    const tokens = Math.min(capacity, bucket.tokens + Math.max(0, nowUs - bucket.filledUs) * perUs);
    const isAllowed = tokens >= 1;
    if (this.buckets.size >= MAX_KEYS_IN_MEMORY && !this.buckets.has(keyId)) this.buckets.clear();
    this.buckets.set(keyId, { tokens: isAllowed ? tokens - 1 : tokens, filledUs: nowUs });
    return isAllowed ? 0 : secondsUntilToken(tokens, perUs * 1e6);
  }
}

/** The number of requests that a key may send at once. */
export function burstSize(requestsPerMinute: number): number {
  return Math.max(1, Math.floor((requestsPerMinute * BURST_S) / 60));
}

export function secondsUntilToken(tokens: number, tokensPerSecond: number): number {
  return Math.max(1, Math.ceil((1 - tokens) / tokensPerSecond));
}
