import type { Batch } from '../batching/batch.js';
import type { ServiceState } from '../record-sink.js';
import type { Backoff } from './retry-delay.js';

export const PROBE_EVERY_MS = 60_000;
/** After this many refusals in a row the tries are spaced out. */
const REFUSALS_BEFORE_PAUSE = 3;
const FIRST_PAUSE_MS = 1000;
/** The longest pause before a batch is tried that was never refused: a poisoned backlog must not delay new records. */
const MAX_FRESH_PAUSE_MS = 5000;
/** A single lost answer is no outage: the next try often succeeds. */
const FAILURES_OF_AN_ABSENT_SERVICE = 2;

/** What the answers so far show about the service, and when each batch may be tried next. */
export class ServiceHealth {
  state: ServiceState = 'unknown';
  /** No batch is tried before this moment. */
  resumeAtMs = 0;
  /** Batches stored so far. */
  stored = 0;
  /** Refusals since the last batch was stored. */
  refusalsInRow = 0;
  /** Records of the smallest batch that was halved since then only to see whether a half is stored. */
  smallestRefused = Infinity;
  /** The service refuses the credentials. */
  refusesCredentials = false;
  /** Different batches refused since the last batch was stored; parts count as their whole. */
  private refusedBatches = 0;
  private freshAtMs = 0;
  private refusedAtMs = 0;
  private failures = 0;
  private mustWait = false;

  constructor(private readonly backoff: Backoff) {}

  /** Whether no batch can be stored now, whatever it holds. */
  get isAway(): boolean {
    return this.state === 'unreachable' || this.refusesCredentials;
  }

  /** Whether enough tries in a row failed that an ending process need not wait for another. */
  get isKnownAway(): boolean {
    return this.refusesCredentials || (this.isAway && this.failures >= FAILURES_OF_AN_ABSENT_SERVICE);
  }

  /** Whether a batch was refused since the last one was stored. */
  get hasRefused(): boolean {
    return this.refusalsInRow > 0;
  }

  /** @param nowMs a pause that the service asked for holds even if another batch got through meanwhile */
  succeeded(nowMs: number): void {
    this.state = 'reachable';
    this.refusesCredentials = false;
    this.failures = 0;
    this.stored++;
    this.refusalsInRow = 0;
    this.refusedBatches = 0;
    this.smallestRefused = Infinity;
    this.endRefusalPauses();
    if (this.mustWait && nowMs < this.resumeAtMs) return;
    this.resumeAtMs = 0;
    this.mustWait = false;
  }

  /** No answer, or one that asks for a later try. */
  failed(nowMs: number, retryAfterMs: number | undefined): void {
    this.state = 'unreachable';
    this.refusesCredentials = false;
    const failures = ++this.failures;
    const delayMs =
      retryAfterMs === undefined
        ? this.backoff.delayMs(failures)
        : this.backoff.delayAfterMs(retryAfterMs, failures);
    const resumeAtMs = nowMs + delayMs;
    const stillMustWait = this.mustWait && nowMs < this.resumeAtMs;
    this.mustWait = retryAfterMs !== undefined || stillMustWait;
    this.resumeAtMs = stillMustWait ? Math.max(resumeAtMs, this.resumeAtMs) : resumeAtMs;
  }

  /** The credentials are wrong, until someone corrects them. */
  refusedCredentials(nowMs: number): void {
    this.state = 'refusing';
    this.refusesCredentials = true;
    this.mustWait = false;
    this.resumeAtMs = nowMs + PROBE_EVERY_MS;
  }

  /**
   * A batch was refused. Only refused batches wait long for their next try: the answers to others show whether all are refused.
   *
   * @param isFirst whether this batch had not been refused since the last one was stored
   * @param isLast whether every other waiting batch was refused too
   */
  refusedBatch(nowMs: number, isFirst: boolean, isLast: boolean): void {
    this.refusesCredentials = false;
    this.failures = 0;
    if (this.state === 'unreachable') this.state = this.stored > 0 ? 'reachable' : 'unknown';
    if (isFirst) this.refusedBatches++;
    const over = ++this.refusalsInRow - REFUSALS_BEFORE_PAUSE;
    if (over >= 0) {
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** over, PROBE_EVERY_MS);
      this.freshAtMs = nowMs + Math.min(pauseMs, MAX_FRESH_PAUSE_MS);
      // A refused fresh batch does not prolong it, or refused ones would never be probed.
      if (this.refusedAtMs <= nowMs) this.refusedAtMs = nowMs + pauseMs;
    }
    const isOfAll = this.refusedBatches >= REFUSALS_BEFORE_PAUSE;
    if (isOfAll || (isLast && this.stored === 0)) this.state = 'refusing';
  }

  /**
   * When a batch may be tried.
   *
   * @param isAwaited someone waits for a flush: each batch that was not refused itself is tried without a pause
   */
  readyAtMs(batch: Batch, isAwaited: boolean): number {
    const pausedUntilMs = batch.wasRefused ? this.refusedAtMs : isAwaited ? 0 : this.freshAtMs;
    return Math.max(batch.readyAtMs, pausedUntilMs);
  }

  /** Allows a try at once, unless the service itself asked to wait. */
  hurry(): void {
    this.endRefusalPauses();
    if (!this.mustWait) this.resumeAtMs = 0;
  }

  /** Whether a new batch would be tried at once. */
  isReadyForNew(nowMs: number): boolean {
    return Math.max(this.resumeAtMs, this.freshAtMs) <= nowMs;
  }

  /** One try at a time while the last one failed or was refused. */
  slots(limit: number): number {
    return this.isAway || this.hasRefused ? 1 : limit;
  }

  private endRefusalPauses(): void {
    this.freshAtMs = this.refusedAtMs = 0;
  }
}

/** How many batches may be on their way: one more after each full round that went well, half after a failure. */
export class ConcurrencyLimit {
  private limit = 2;
  private successes = 0;

  constructor(private readonly max: number) {
    this.limit = Math.min(this.limit, max);
  }

  get current(): number {
    return this.limit;
  }

  /** @param saturated whether more batches waited than were on their way: else more would not help */
  succeeded(saturated: boolean): void {
    if (!saturated || this.limit >= this.max || ++this.successes < this.limit) return;
    this.successes = 0;
    this.limit++;
  }

  failed(): void {
    this.successes = 0;
    this.limit = Math.max(1, Math.floor(this.limit / 2));
  }
}
