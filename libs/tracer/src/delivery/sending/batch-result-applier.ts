import type { TracerError } from '../../errors.js';
import type { Backlog } from '../backlog.js';
import { Batch } from '../batching/batch.js';
import { splitLines, readRecordId } from '../batching/line-buffer.js';
import type { Counters } from '../counters.js';
import type { DropLog } from '../drop-log.js';
import type { Timers } from '../timers.js';
import type { BodyEncoder } from './body-encoder.js';
import type { Try } from './dispatcher.js';
import type { Backoff } from './retry-delay.js';
import type { Refusal } from './batch-result.js';
import type { ConcurrencyLimit, ServiceHealth } from './service-health.js';

export interface BatchResultApplierParts {
  readonly backlog: Backlog;
  readonly counters: Counters;
  readonly drops: DropLog;
  readonly health: ServiceHealth;
  readonly limit: ConcurrencyLimit;
  readonly backoff: Backoff;
  readonly encoder: BodyEncoder;
  readonly timers: Timers;
  readonly report: (error: TracerError) => void;
}

/** A refusal counts if another batch was stored since the previous one. One halves a batch, two quarantine a single record. */
const REFUSALS_TO_SPLIT = 1;
const REFUSALS_TO_QUARANTINE = 2;
const REFUSALS_OF_TOO_LARGE = 1;
/** Minimum pause between two attempts of a refused batch. */
const RETRY_REFUSED_MS = 1000;

/** Applies the result of an attempt to the batch, the pace and the counters. */
export class BatchResultApplier {
  constructor(private readonly parts: BatchResultApplierParts) {}

  /** Whether all waiting batches were refused since the last one was stored, so that no answer will change soon. */
  get isStuck(): boolean {
    const { health, backlog } = this.parts;
    return backlog.queue.every((batch) => !batch.inFlight && health.hasJustRefused(batch));
  }

  apply(batch: Batch, { body, result, reuse }: Try): void {
    const { backlog, health, limit, encoder, timers, report } = this.parts;
    switch (result.kind) {
      case 'stored':
        health.succeeded(timers.nowMs());
        limit.succeeded(backlog.queue.size > limit.current);
        this.countStored(batch, body, result.rejected);
        backlog.finish(batch, reuse);
        break;
      case 'later':
        batch.attempts++;
        batch.readyAtMs = timers.nowMs() + this.parts.backoff.delayMs(batch.attempts);
        health.failed(timers.nowMs(), result.retryAfterMs);
        limit.failed();
        report(result.error);
        break;
      case 'paused':
        health.refusedCredentials(timers.nowMs());
        report(result.error);
        break;
      case 'encoding_refused':
        encoder.disable();
        break;
      case 'too_large':
        if (batch.records === 1) this.refuse(batch, body, result.refusal, REFUSALS_OF_TOO_LARGE);
        else {
          batch.refusedAtStored ??= health.stored;
          this.split(batch, body);
        }
        break;
      case 'refused':
        this.refuse(batch, body, result.refusal, REFUSALS_TO_QUARANTINE);
    }
  }

  /**
   * Isolates refused records while the service accepts other batches, and keeps everything while it accepts none: then the key, the
   * address or a proxy is wrong.
   */
  private refuse(batch: Batch, body: Buffer, refusal: Refusal, toQuarantine: number): void {
    const { backlog, health, timers, report } = this.parts;
    const { isFresh } = batch;
    const isFirst = batch.refusedAtStored !== health.stored;
    batch.attempts++;
    if (batch.refusedAtStored !== undefined && isFirst) batch.refusals++;
    batch.refusedAtStored = health.stored;
    if (batch.records === 1 && batch.refusals >= toQuarantine) {
      backlog.quarantine(batch, refusal.status, body, `${refusal.status}: ${refusal.detail}`);
      return;
    }
    // If every batch contains refused records, only smaller ones can show it. Halving one batch repeatedly is enough.
    const isProbe = batch.records < health.smallestRefused && (health.stored > 0 || batch.attempts > 1);
    if (isProbe) health.smallestRefused = batch.records;
    health.refusedBatch(timers.nowMs(), isFresh, isFirst, this.isStuck);
    if (batch.records > 1 && (batch.refusals >= REFUSALS_TO_SPLIT || isProbe)) this.split(batch, body);
    else {
      batch.readyAtMs = timers.nowMs() + RETRY_REFUSED_MS;
      if (health.state === 'refusing') report(refusal.error);
    }
  }

  /** Sends the batch in halves, down to the one refused record. */
  private split(batch: Batch, body: Buffer): void {
    const lines = [...splitLines(body)];
    const middle = Math.ceil(lines.length / 2);
    this.parts.backlog.replace(batch, [
      Batch.part(batch, '.0', lines.slice(0, middle)),
      Batch.part(batch, '.1', lines.slice(middle)),
    ]);
  }

  private countStored(batch: Batch, body: Buffer, rejected: ReadonlyMap<number, string>): void {
    this.parts.counters.delivered += batch.records - rejected.size;
    if (rejected.size === 0) return;
    const ids: string[] = [];
    let number = 0;
    for (const line of splitLines(body)) {
      const id = rejected.has(++number) ? readRecordId(line) : undefined;
      if (id !== undefined) ids.push(id);
    }
    const [detail] = rejected.values();
    this.parts.drops.drop('rejected', rejected.size, ids, detail);
  }
}
