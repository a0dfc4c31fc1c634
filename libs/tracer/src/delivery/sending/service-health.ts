import type { Batch } from '../batching/batch.js';
import type { ServiceState } from '../record-sink.js';
import type { Backoff } from './retry-delay.js';

const PROBE_EVERY_MS = 60_000;
/** The longest pause before a new batch is tried while new batches are refused. */
const MAX_FRESH_PAUSE_MS = 5000;
/** So many different batches refused in a row, and the service is believed to refuse all. */
const REFUSED_BATCHES_OF_ALL = 3;
/** A single lost answer is not an outage: the next attempt often succeeds. */
const FAILURES_OF_AN_ABSENT_SERVICE = 2;

/** After this many refusals in a row, attempts are spaced out. */
const REFUSALS_BEFORE_PAUSE = 3;
const FIRST_PAUSE_MS = 1000;

/** The pause of one class of batches. It doubles with each refusal until a batch of any class is stored. */
class RefusalPause {
  endsAtMs = 0;
  private refusals = 0;

  constructor(private readonly maxMs: number) {}

  refused(nowMs: number): void {
    const doublings = ++this.refusals - REFUSALS_BEFORE_PAUSE;
    if (doublings >= 0) this.endsAtMs = nowMs + Math.min(FIRST_PAUSE_MS * 2 ** doublings, this.maxMs);
  }

  reset(): void {
    this.endsAtMs = this.refusals = 0;
  }
}

/** What the answers so far show about the service, and when each batch may be tried next. */
export class ServiceHealth {
  state: ServiceState = 'unknown';
  /** No batch is tried before this moment. */
  resumeAtMs = 0;
  /** Batches stored so far. */
  stored = 0;
  /** Whether a batch was refused since the last one was stored. */
  hasRefused = false;
  /** Size in records of the smallest batch that was halved since then, to test whether a half is stored. */
  smallestRefused = Infinity;
  /** The service refuses the credentials. */
  refusesCredentials = false;
  /** Different batches refused since the last batch was stored; parts count as their whole. */
  private refusedBatches = 0;
  private readonly fresh = new RefusalPause(MAX_FRESH_PAUSE_MS);
  private readonly suspect = new RefusalPause(PROBE_EVERY_MS);
  private failures = 0;
  private mustWait = false;

  constructor(private readonly backoff: Backoff) {}

  /** Whether the service can store no batch now, independent of its content. */
  get isAway(): boolean {
    return this.state === 'unreachable' || this.refusesCredentials;
  }

  /** Whether so many attempts failed in a row that an ending process need not wait for another. */
  get isKnownAway(): boolean {
    return this.refusesCredentials || (this.isAway && this.failures >= FAILURES_OF_AN_ABSENT_SERVICE);
  }

  /** @param nowMs a pause that the service requested stays, even if another batch was stored meanwhile */
  succeeded(nowMs: number): void {
    this.state = 'reachable';
    this.refusesCredentials = false;
    this.failures = 0;
    this.stored++;
    this.hasRefused = false;
    this.refusedBatches = 0;
    this.smallestRefused = Infinity;
    this.fresh.reset();
    this.suspect.reset();
    if (this.mustWait && nowMs < this.resumeAtMs) return;
    this.resumeAtMs = 0;
    this.mustWait = false;
  }

  /** The attempt got no answer, or one that requests a later attempt. */
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
   * A batch was refused. Suspect batches do not delay fresh ones: the answers to others show whether all are refused.
   *
   * @param isFirst whether this batch had not been refused since the last one was stored
   * @param isLast whether every other waiting batch was refused too
   */
  refusedBatch(nowMs: number, isFresh: boolean, isFirst: boolean, isLast: boolean): void {
    this.refusesCredentials = false;
    this.hasRefused = true;
    this.failures = 0;
    if (this.state === 'unreachable') this.state = this.stored > 0 ? 'reachable' : 'unknown';
    (isFresh ? this.fresh : this.suspect).refused(nowMs);
    if (isFirst) this.refusedBatches++;
    const isOfAll = this.refusedBatches >= REFUSED_BATCHES_OF_ALL;
    if (isOfAll || (isLast && this.stored === 0)) this.state = 'refusing';
  }

  /** Whether this batch was refused since the last one was stored, so that another refusal would prove nothing. */
  hasJustRefused(batch: Batch): boolean {
    return batch.wasRefused && batch.refusedAtStored === this.stored;
  }

  /**
   * When a batch may be tried.
   *
   * @param isAwaited someone waits for a flush: only batches that were just refused are paused
   */
  readyAtMs(batch: Batch, isAwaited: boolean): number {
    const hasNews = batch.wasRefused && !this.hasJustRefused(batch);
    const ownMs = hasNews ? 0 : batch.readyAtMs;
    if (isAwaited && !this.hasJustRefused(batch)) return ownMs;
    return Math.max(ownMs, (batch.isFresh ? this.fresh : this.suspect).endsAtMs);
  }

  /** Allows an attempt now, unless the service asked to wait. */
  hurry(): void {
    this.fresh.endsAtMs = this.suspect.endsAtMs = 0;
    if (!this.mustWait) this.resumeAtMs = 0;
  }

  /** Whether a new batch would be sent immediately. */
  isReadyForNew(nowMs: number): boolean {
    return Math.max(this.resumeAtMs, this.fresh.endsAtMs) <= nowMs;
  }

  /** One attempt at a time while the last one failed or was refused. */
  slots(limit: number): number {
    return this.isAway || this.hasRefused ? 1 : limit;
  }
}

/** How many batches may be sent at once: one more after each successful full round, half after a failure. */
export class ConcurrencyLimit {
  private limit = 2;
  private successes = 0;

  constructor(private readonly max: number) {
    this.limit = Math.min(this.limit, max);
  }

  get current(): number {
    return this.limit;
  }

  /** @param saturated whether more batches waited than were being sent; otherwise a higher limit would not help */
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
