import type { DeliveryStats, DropReason } from './record-sink.js';

/** What `Counters` does not count itself: it is read from the queue, so that the balance is a check. */
export type QueueFigures = Pick<
  DeliveryStats,
  'waiting' | 'spooled' | 'memoryBytes' | 'spoolBytes' | 'service'
>;

const NOTHING_WAITING: QueueFigures = {
  waiting: 0,
  spooled: 0,
  memoryBytes: 0,
  spoolBytes: 0,
  service: 'unknown',
};

/** Counts records from recording to delivery. */
export class Counters {
  recorded = 0;
  adopted = 0;
  delivered = 0;
  private readonly dropped: Record<DropReason, number> = {
    memory_full: 0,
    spool_full: 0,
    too_large: 0,
    rejected: 0,
    quarantined: 0,
    refused: 0,
    quarantine_full: 0,
    spool_expired: 0,
    spool_damaged: 0,
    process_exit: 0,
  };

  drop(reason: DropReason, count: number): void {
    this.dropped[reason] += count;
  }

  toStats(queue: QueueFigures = NOTHING_WAITING): DeliveryStats {
    const { recorded, adopted, delivered } = this;
    return { recorded, adopted, delivered, dropped: { ...this.dropped }, ...queue };
  }
}
