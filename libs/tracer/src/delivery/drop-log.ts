import { Throttle, THROTTLE_MS } from '../diagnostics/throttle.js';
import type { TracerError } from '../errors.js';
import type { Counters } from './counters.js';
import { RecordsDroppedError } from './errors.js';
import type { DropReason } from './record-sink.js';
import type { Timers } from './timers.js';

const MAX_IDS = 1000;

interface Tally {
  count: number;
  readonly ids: string[];
  detail: string | undefined;
}

/** Counts and reports dropped records: the first of a reason immediately, those of the next minute in one sum. */
export class DropLog {
  private readonly unreported = new Map<DropReason, Tally>();
  private readonly throttle: Throttle;

  constructor(
    private readonly counters: Counters,
    private readonly timers: Timers,
    private readonly report: (error: TracerError) => void,
  ) {
    this.throttle = new Throttle(timers);
  }

  drop(reason: DropReason, count: number, ids: readonly string[] = [], detail?: string): void {
    if (count === 0) return;
    this.counters.drop(reason, count);
    const tally = this.unreported.get(reason) ?? { count: 0, ids: [], detail };
    this.unreported.set(reason, tally);
    tally.count += count;
    tally.detail ??= detail;
    tally.ids.push(...ids.slice(0, MAX_IDS - tally.ids.length));
    if (!this.throttle.passes(reason)) return;
    this.reportReason(reason);
    this.timers.start(() => {
      this.reportReason(reason);
    }, THROTTLE_MS);
  }

  /** Reports the collected drops before the minute is over. */
  reportAll(): void {
    for (const reason of this.unreported.keys()) this.reportReason(reason);
    this.throttle.reset();
  }

  private reportReason(reason: DropReason): void {
    const tally = this.unreported.get(reason);
    if (tally === undefined) return;
    this.unreported.delete(reason);
    this.report(new RecordsDroppedError(reason, tally.count, tally.ids, tally.detail));
  }
}
