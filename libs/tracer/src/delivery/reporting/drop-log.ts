import type { TracerError } from '../../errors.js';
import type { Counters } from '../counters.js';
import type { DropReason } from '../drop-reason.js';
import { RecordsDroppedError } from '../errors.js';
import type { Timers } from '../timers.js';

/** A little more than the minute in which a reporter of ours stays silent on one cause. */
const REPEAT_AFTER_MS = 61_000;
const IDS_MOST = 1000;

interface Tally {
  count: number;
  ids: string[];
  detail: string | undefined;
}

/** Counts what is dropped, and reports it: the first of a reason at once, what follows within a minute in one sum. */
export class DropLog {
  private readonly gathering = new Map<DropReason, Tally>();

  constructor(
    private readonly counters: Counters,
    private readonly timers: Timers,
    private readonly report: (error: TracerError) => void,
  ) {}

  drop(reason: DropReason, count: number, ids: readonly string[] = [], detail?: string): void {
    if (count === 0) return;
    this.counters.drop(reason, count);
    const tally = this.gathering.get(reason);
    if (tally === undefined) {
      this.gathering.set(reason, { count: 0, ids: [], detail: undefined });
      this.timers.start(() => {
        this.tell(reason);
      }, REPEAT_AFTER_MS);
      this.report(new RecordsDroppedError(reason, count, ids.slice(0, IDS_MOST), detail));
      return;
    }
    tally.count += count;
    tally.detail ??= detail;
    tally.ids.push(...ids.slice(0, Math.max(0, IDS_MOST - tally.ids.length)));
  }

  /** Reports what was gathered, without waiting for the minute to pass. */
  tellAll(): void {
    for (const reason of this.gathering.keys()) this.tell(reason);
  }

  private tell(reason: DropReason): void {
    const tally = this.gathering.get(reason);
    this.gathering.delete(reason);
    if (tally === undefined || tally.count === 0) return;
    this.report(new RecordsDroppedError(reason, tally.count, tally.ids, tally.detail));
  }
}
