import type { WorkingOptions } from '../options/delivery-options.js';
import type { Backlog } from './backlog.js';
import type { Batch } from './batching/batch.js';
import type { Counters } from './counters.js';
import type { ErrorReports } from './error-reports.js';
import type { ExitListener, ExitWork } from './exit-hooks.js';
import type { ExitSender } from './sending/exit-sender.js';
import type { Sender } from './sending/sender.js';
import type { SpoolKeeper } from './spool/spool-keeper.js';
import type { Timers } from './timers.js';

export interface ExitDeliveryParts {
  readonly options: WorkingOptions;
  readonly backlog: Backlog;
  readonly counters: Counters;
  readonly sender: Sender;
  readonly keeper: SpoolKeeper | undefined;
  readonly reports: ErrorReports;
  readonly timers: Timers;
  /** Sends waiting records, unless that is useless. @returns whether none waits any longer */
  readonly flush: (timeoutMs: number, isUseless: () => boolean) => Promise<boolean>;
}

/** Sends or saves waiting records when the process ends. */
export class ExitDelivery implements ExitListener {
  private recordedBefore = -1;
  /** When the process had no work left. */
  private endBeganAtMs: number | undefined;
  /** Private, so that printing an object of the tracer shows no keys. */
  readonly #parts: ExitDeliveryParts;

  constructor(parts: ExitDeliveryParts) {
    this.#parts = parts;
  }

  /** A last attempt, unless the service is known to be away: then files keep the records without a wait. */
  onBeforeExit(): void {
    const { options, backlog, counters, sender, timers, flush } = this.#parts;
    const { recorded } = counters;
    if (recorded === this.recordedBefore || backlog.figures().waiting === 0) return;
    this.recordedBefore = recorded;
    if (sender.isAway || (sender.isStuck && !backlog.hasOpenRecords)) return;
    this.endBeganAtMs = timers.nowMs();
    const mayWait = options.spool === false;
    const isUseless = (): boolean => (sender.isAway || sender.isStuck) && !mayWait;
    void flush(options.exitTimeoutMs, isUseless).then((isDone) => {
      if (!isDone) sender.abort();
    });
  }

  onExit(): void {
    const { options, backlog, keeper } = this.#parts;
    keeper?.lookBeforeEnd();
    if (options.atExit === 'send') {
      // Files first: the process may be killed while it sends.
      backlog.seal();
      backlog.save();
    } else this.end();
  }

  startExitWork(): ExitWork | undefined {
    if (this.#parts.options.atExit !== 'send') return undefined;
    const sender = this.startSender();
    this.#parts.backlog.isAtEnd = true;
    return {
      step: (waitMs) => sender?.step(waitMs) === true,
      finish: () => {
        sender?.close();
        this.end();
      },
    };
  }

  private startSender(): ExitSender | undefined {
    const { options, backlog, sender, keeper, timers } = this.#parts;
    const nowMs = timers.nowMs();
    const timeoutMs = options.exitTimeoutMs - (nowMs - (this.endBeganAtMs ?? nowMs));
    if (timeoutMs <= 0 || backlog.queue.size === 0) return undefined;
    try {
      const readBody = (batch: Batch) => batch.content?.view() ?? keeper?.spool.readNow(batch);
      return sender.sendAtExit(readBody, timeoutMs);
    } catch {
      // The process cannot start a thread any longer, so files keep what they can.
      return undefined;
    }
  }

  private end(): void {
    const { backlog, keeper, reports } = this.#parts;
    backlog.end();
    reports.flush();
    keeper?.leave();
  }
}
