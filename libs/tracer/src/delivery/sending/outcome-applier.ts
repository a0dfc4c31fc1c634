import type { TracerError } from '../../errors.js';
import type { Backlog } from '../backlog.js';
import { Batch } from '../batching/batch.js';
import { linesOf, recordIdOf } from '../batching/line-buffer.js';
import type { Counters } from '../counters.js';
import type { DropLog } from '../drop-log.js';
import type { Timers } from '../timers.js';
import type { BodyEncoder } from './body-encoder.js';
import type { Try } from './dispatcher.js';
import type { Backoff } from './retry-delay.js';
import type { ConcurrencyLimit, ServiceHealth } from './service-health.js';

export interface OutcomeApplierParts {
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

/** Applies the outcome of a try: to the batch, to the pace, and to the counters. */
export class OutcomeApplier {
  constructor(private readonly parts: OutcomeApplierParts) {}

  apply(batch: Batch, { body, outcome, reuse }: Try): void {
    const { backlog, health, limit, encoder, timers, report } = this.parts;
    switch (outcome.kind) {
      case 'stored':
        health.succeeded(timers.nowMs());
        limit.succeeded(backlog.queue.size > limit.current);
        this.countStored(batch, body, outcome.rejected);
        backlog.finish(batch, reuse);
        break;
      case 'later':
        batch.attempts++;
        batch.readyAtMs = timers.nowMs() + this.parts.backoff.delayMs(batch.attempts);
        health.failed(timers.nowMs(), outcome.retryAfterMs);
        limit.failed();
        report(outcome.error);
        break;
      case 'paused':
        health.refused(timers.nowMs());
        report(outcome.error);
        break;
      case 'encoding_refused':
        encoder.disable();
        break;
      case 'too_large':
        if (batch.records > 1) this.split(batch, body);
        else backlog.drop(batch, 'too_large', body);
        break;
      case 'refused':
        backlog.drop(batch, 'refused', body, outcome.detail);
    }
  }

  /** The service answered 413: sends the batch in halves, down to the one record that is too large. */
  private split(batch: Batch, body: Buffer): void {
    const lines = [...linesOf(body)];
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
    for (const line of linesOf(body)) {
      const id = rejected.has(++number) ? recordIdOf(line) : undefined;
      if (id !== undefined) ids.push(id);
    }
    const [detail] = rejected.values();
    this.parts.drops.drop('rejected', rejected.size, ids, detail);
  }
}
