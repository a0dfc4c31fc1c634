import { AsyncResource } from 'node:async_hooks';
import type { WorkingOptions } from '../options/delivery-options.js';
import type { Backlog } from './backlog.js';
import type { Sender } from './sending/sender.js';
import { setImmediate, type Timer, type Timers } from './timers.js';

/** Number of sealed batches to write to files per interval while the service is away. */
const SAVES_AN_INTERVAL = 2;
/** After a pause, the first records are sent this soon, so that a process that is stopped by hand has sent them. */
const AFTER_PAUSE_MS = 100;

/**
 * Runs background work outside of asynchronous contexts: those of recorded calls, and that of the code that created the
 * tracer, in which other libraries may hold a span of the application's start.
 */
const background = new AsyncResource('DacapoDelivery');

/** Decides when the open batch is sealed, and when sealed ones are sent. */
export class BatchSchedule {
  private interval: Timer | undefined;
  private isPumpDue = false;
  /** When the last batch was opened. */
  private openedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly options: WorkingOptions,
    private readonly timers: Timers,
    private readonly backlog: Backlog,
    private readonly sender: Sender,
  ) {}

  /** Sends now, without pauses between attempts. */
  hurry(): void {
    background.runInAsyncScope(() => {
      this.sender.hurry();
    });
  }

  /** Deferred, so that the recording call does not wait for the start of a request. */
  pumpSoon(): void {
    if (this.isPumpDue) return;
    this.isPumpDue = true;
    // Not unref'd: in an idle process the event loop would sleep on. It holds the process for one turn.
    setImmediate(() => {
      this.isPumpDue = false;
      background.runInAsyncScope(() => {
        this.sender.pump();
      });
    });
  }

  /** Seals the new batch when its interval is over. */
  startInterval(): void {
    const { intervalMs } = this.options;
    const nowMs = this.timers.nowMs();
    const isAfterPause = nowMs - this.openedAtMs >= intervalMs;
    this.openedAtMs = nowMs;
    this.interval?.cancel();
    this.interval = this.timers.start(
      () => {
        this.endInterval();
      },
      isAfterPause ? Math.min(AFTER_PAUSE_MS, intervalMs) : intervalMs,
    );
  }

  private endInterval(): void {
    const { backlog, sender } = this;
    // While batches are refused, a new one shows whether all are.
    if (sender.hasRoom || (sender.isRefused && !backlog.hasUntried)) backlog.seal();
    else if (sender.isAway || sender.isRefused) backlog.save(SAVES_AN_INTERVAL);
    if (backlog.hasOpenRecords) this.startInterval();
  }
}
