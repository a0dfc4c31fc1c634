import type { Backlog } from './backlog.js';
import type { Counters } from './counters.js';
import type { DropLog } from './drop-log.js';
import type { RemovedFromQuarantine } from './spool/quarantine.js';
import type { Adoption } from './spool/stored-batches.js';

/** Counts the records of ended processes, and queues their batches. */
export class AdoptedRecords {
  /** The sequence of the newest batch of an ended process. */
  upTo = 0;

  constructor(
    private readonly counters: Counters,
    private readonly drops: DropLog,
  ) {}

  takeOver({ batches, damaged, expired }: Adoption, backlog: Backlog): void {
    this.count(expired.records);
    this.drops.drop('spool_expired', expired.records, expired.ids);
    this.count(batches.reduce((sum, batch) => sum + batch.records, damaged.length));
    const ids = damaged.filter((id) => id !== undefined);
    this.drops.drop('spool_damaged', damaged.length, ids);
    backlog.enqueue(batches);
    if (batches.length > 0) this.upTo = backlog.queue.lastSequence;
  }

  /** No process will send them any longer. */
  readonly expire = (records: number): void => {
    this.count(records);
    this.drops.drop('spool_expired', records);
  };

  readonly removeFromQuarantine = ({ records, reason, isOwn }: RemovedFromQuarantine): void => {
    if (isOwn) this.counters.drop('quarantined', -records);
    else this.count(records);
    this.drops.drop(reason, records);
  };

  private count(records: number): void {
    this.counters.recorded += records;
    this.counters.adopted += records;
  }
}
