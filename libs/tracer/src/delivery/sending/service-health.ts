import type { ServiceState } from '../record-sink.js';
import type { Backoff } from './retry-delay.js';

export const PROBE_EVERY_MS = 60_000;
/** So many refusals in a row, of one batch or of several, and the service is believed to refuse all. */
const REFUSALS_OF_ALL = 3;
const FIRST_REST_MS = 1000;
/** One answer that is lost says little: the next try often gets through. */
const FAILURES_OF_AN_ABSENT_SERVICE = 2;

/** What the answers so far say of the service, and when it may be tried next. */
export class ServiceHealth {
  state: ServiceState = 'unknown';
  /** Not to be tried before this moment. */
  resumeAtMs = 0;
  /** Batches stored so far. */
  stored = 0;
  /** Batches refused since the last one was stored; parts count as their whole. */
  refusalsInRow = 0;
  /** Whether any was. */
  hasRefused = false;
  /** Records of the smallest batch that was halved since then only to see whether a half is stored. */
  smallestRefused = Infinity;
  private failures = 0;
  private mustWait = false;

  constructor(private readonly backoff: Backoff) {}

  /** Whether the last try was in vain. */
  get isAway(): boolean {
    return this.state === 'unreachable' || this.state === 'refusing';
  }

  /** Whether so many tries in a row were in vain that a process which ends need not wait for another. */
  get isKnownAway(): boolean {
    return this.state === 'refusing' || (this.isAway && this.failures >= FAILURES_OF_AN_ABSENT_SERVICE);
  }

  /** @param nowMs a pause that the service asked for holds even if another batch got through meanwhile */
  succeeded(nowMs: number): void {
    this.state = 'reachable';
    this.failures = 0;
    this.stored++;
    this.refusalsInRow = 0;
    this.hasRefused = false;
    this.smallestRefused = Infinity;
    if (this.mustWait && nowMs < this.resumeAtMs) return;
    this.resumeAtMs = 0;
    this.mustWait = false;
  }

  /** No answer, or one that asks for a later try. */
  failed(nowMs: number, retryAfterMs: number | undefined): void {
    this.state = 'unreachable';
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
    this.mustWait = false;
    this.resumeAtMs = nowMs + PROBE_EVERY_MS;
  }

  /**
   * A batch was refused. The first refusals hold up no other batch: the answers to others tell whether all are refused.
   *
   * @param isFirst whether this batch had not been refused since the last one was stored
   * @param isLast whether no other batch waits that could tell
   */
  refusedBatch(nowMs: number, isFirst: boolean, isLast: boolean): void {
    this.hasRefused = true;
    if (isFirst) this.refusalsInRow++;
    const isOfAll = this.refusalsInRow >= REFUSALS_OF_ALL;
    const restMs = FIRST_REST_MS * 2 ** (this.refusalsInRow - REFUSALS_OF_ALL);
    if (isOfAll) this.resumeAtMs = Math.max(this.resumeAtMs, nowMs + Math.min(restMs, PROBE_EVERY_MS));
    if (isOfAll || (isLast && this.stored === 0)) this.state = 'refusing';
  }

  /** The newest batch is tried next: the older ones may be what an earlier process could not send either. */
  get prefersNewest(): boolean {
    return this.refusalsInRow % 2 === 1;
  }

  /** Allows a try at once, unless the service itself asked to wait. */
  hurry(): void {
    if (!this.mustWait) this.resumeAtMs = 0;
  }

  /** One try at a time while the last one failed or was refused. */
  slots(limit: number): number {
    return this.isAway || this.hasRefused ? 1 : limit;
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
