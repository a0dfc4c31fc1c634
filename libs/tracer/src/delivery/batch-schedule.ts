import { AsyncResource } from 'node:async_hooks';
import type { WorkingOptions } from '../options/delivery-options.js';
import type { Backlog } from './backlog.js';
import type { Sender } from './sending/sender.js';
import { setImmediate, type Timer, type Timers } from './timers.js';

/** Sealed batches that are written to files each interval while the service is away. */
const SAVES_AN_INTERVAL = 2;
/** After a pause the first records leave this soon, so that a process that is stopped by hand has sent them. */
const AFTER_PAUSE_MS = 100;

/**
 * Keeps asynchronous contexts out of what happens in the background: that of whoever recorded, and that of whoever made the
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

  /** Sends now, without the pauses between tries. */
  hurry(): void {
    background.runInAsyncScope(() => {
      this.sender.hurry();
    });
  }

  /** Not at once: whoever records now does not wait for a request to be made. */
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

  /** Seals the batch that was opened now when its interval is over. */
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
    // While batches are refused, a new one tells whether all are.
    if (sender.hasRoom || (sender.isRefused && !backlog.hasUntried)) backlog.seal();
    else if (sender.isAway || sender.isRefused) backlog.save(SAVES_AN_INTERVAL);
    if (backlog.hasOpenRecords) this.startInterval();
  }
}
