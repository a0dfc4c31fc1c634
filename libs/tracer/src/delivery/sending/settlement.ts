import type { TracerError } from '../../errors.js';
import type { Backlog } from '../backlog.js';
import type { Batch } from '../batching/batch.js';
import { linesOf } from '../batching/line-buffer.js';
import { recordIdOf } from '../batching/record-id.js';
import type { Counters } from '../counters.js';
import type { DropLog } from '../reporting/drop-log.js';
import type { Timers } from '../timers.js';
import type { Backoff } from './backoff.js';
import type { BodyEncoder } from './body-encoder.js';
import type { ConcurrencyLimit } from './concurrency-limit.js';
import type { Try } from './dispatcher.js';
import type { ServiceHealth } from './service-health.js';

export interface SettlementParts {
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

/** Draws the consequences of a try: for the batch, for the pace, and for the figures. */
export class Settlement {
  constructor(private readonly parts: SettlementParts) {}

  settle(batch: Batch, { body, outcome, reuse }: Try): void {
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
        if (batch.records > 1) backlog.halve(batch, body);
        else backlog.drop(batch, 'too_large', body);
        break;
      case 'refused':
        backlog.drop(batch, 'refused', body, outcome.detail);
    }
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
