import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';

/** A burst has as many requests as the limit allows in this time. */
const BURST_S = 10;
const MAX_KEYS_IN_MEMORY = 10_000;

interface Bucket {
  tokens: number;
  filledUs: number;
}

/** A token bucket for each limited key, in memory: a restart fills them. */
@Injectable()
export class RateLimits {
  private readonly buckets = new Map<string, Bucket>();

  constructor(private readonly clock: Clock) {}

  /** Takes a token and returns 0, or returns the wait for the next token in seconds. */
  take(keyId: string, requestsPerMinute: number): number {
    const nowUs = this.clock.nowUs();
    const perUs = requestsPerMinute / 60e6;
    const capacity = burstSize(requestsPerMinute);
    const bucket = this.buckets.get(keyId) ?? { tokens: capacity, filledUs: nowUs };
    const tokens = Math.min(capacity, bucket.tokens + Math.max(0, nowUs - bucket.filledUs) * perUs);
    const isAllowed = tokens >= 1;
    if (this.buckets.size >= MAX_KEYS_IN_MEMORY && !this.buckets.has(keyId)) this.buckets.clear();
    this.buckets.set(keyId, { tokens: isAllowed ? tokens - 1 : tokens, filledUs: nowUs });
    return isAllowed ? 0 : Math.max(1, Math.ceil((1 - tokens) / perUs / 1e6));
  }
}

/** How many requests a key may make at once. */
export function burstSize(requestsPerMinute: number): number {
  return Math.max(1, Math.floor((requestsPerMinute * BURST_S) / 60));
}
