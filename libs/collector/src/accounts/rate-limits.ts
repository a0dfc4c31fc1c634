import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';

/** What may come at once is what a key may ask in so many seconds. */
const BURST_S = 10;
/** Keys whose buckets are held at most; one that was let go begins with a full one. */
const MOST_KEYS = 10_000;

interface Bucket {
  tokens: number;
  filledUs: number;
}

/** A bucket of tokens for each key that has a limit, in memory: a restart fills them. */
@Injectable()
export class RateLimits {
  private readonly buckets = new Map<string, Bucket>();

  constructor(private readonly clock: Clock) {}

  /** Takes a token. @returns in how many seconds there is one, when there is none now; else 0 */
  take(keyId: string, requestsPerMinute: number): number {
    const nowUs = this.clock.nowUs();
    const perUs = requestsPerMinute / 60e6;
    const most = burstOf(requestsPerMinute);
    const bucket = this.buckets.get(keyId) ?? { tokens: most, filledUs: nowUs };
    const tokens = Math.min(most, bucket.tokens + Math.max(0, nowUs - bucket.filledUs) * perUs);
    const isLeft = tokens >= 1;
    this.keep(keyId, { tokens: isLeft ? tokens - 1 : tokens, filledUs: nowUs });
    return isLeft ? 0 : Math.max(1, Math.ceil((1 - tokens) / perUs / 1e6));
  }

  private keep(keyId: string, bucket: Bucket): void {
    if (this.buckets.size >= MOST_KEYS && !this.buckets.has(keyId)) this.buckets.clear();
    this.buckets.set(keyId, bucket);
  }
}

/** How many requests a key may make at once. */
export function burstOf(requestsPerMinute: number): number {
  return Math.max(1, Math.floor((requestsPerMinute * BURST_S) / 60));
}
