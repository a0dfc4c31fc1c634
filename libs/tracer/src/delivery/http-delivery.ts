import { AsyncResource } from 'node:async_hooks';
import type { ByteString } from '../byte-string.js';
import { ServiceRoute } from '../service/service-route.js';
import { Throttle } from '../diagnostics/throttle.js';
import type { TracerError } from '../errors.js';
import { Backlog } from './backlog.js';
import type { Batch } from './batching/batch.js';
import { Counters } from './counters.js';
import { type WorkingOptions, resolveDeliveryOptions } from '../options/delivery-options.js';
import { DropLog } from './drop-log.js';
import { type ExitWork, listenForExit } from './exit-hooks.js';
import { FlushWaiters } from './flush-waiters.js';
import type { HttpDeliveryParts, HttpDeliverySettings } from './http-delivery-settings.js';
import type { DeliveryStats, FlushOptions, RecordSink } from './record-sink.js';
import type { ExitSender } from './sending/exit-sender.js';
import { Sender } from './sending/sender.js';
import { SpoolKeeper } from './spool/spool-keeper.js';
import type { Adoption } from './spool/stored-batches.js';
import { setImmediate, systemTimers, type Timer, type Timers } from './timers.js';

/** Sealed batches that are written to files each interval while the service is away. */
const SAVES_AN_INTERVAL = 2;
/** After a pause the first records leave this soon, so that a process that is stopped by hand has sent them. */
const AFTER_PAUSE_MS = 100;

/**
 * Keeps asynchronous contexts out of what happens in the background: that of whoever recorded, and that of whoever made the
 * tracer, in which other libraries may hold a span of the application's start.
 */
const background = new AsyncResource('DacapoDelivery');

/**
 * Sends records to the service in the background: batches over HTTP, each under an id that makes resending safe,
 * and spool files for what must wait longer than memory or the process lasts.
 */
export class HttpDelivery implements RecordSink {
  /** Neither is shown when an object of the tracer is printed: they hold keys. */
  readonly #settings: HttpDeliverySettings;
  private readonly options: WorkingOptions;
  private readonly timers: Timers;
  private readonly counters = new Counters();
  private readonly drops: DropLog;
  private readonly keeper: SpoolKeeper | undefined;
  private readonly backlog: Backlog;
  private readonly sender: Sender;
  private readonly waiters: FlushWaiters;
  private interval: Timer | undefined;
  private isPumpDue = false;
  /** When the last batch was opened. */
  private openedAtMs = Number.NEGATIVE_INFINITY;
  /** Sequence of the newest batch that a dead process left. */
  private adoptedUpTo = 0;
  private readonly unreported: TracerError[] = [];
  private closing: Promise<void> | undefined;
  private recordedAtClose = 0;
  private recordedAtExit = -1;
  /** When the process had nothing left to do. */
  private endBeganAtMs: number | undefined;

  /** @throws InvalidOptionError when a delivery option has a value that cannot work. */
  constructor(
    settings: HttpDeliverySettings,
    { timers = systemTimers, random = Math.random }: HttpDeliveryParts = {},
  ) {
    this.#settings = settings;
    const { previousKeys, ...options } = resolveDeliveryOptions(settings.options ?? {}, settings.timeoutMs);
    this.options = options;
    const { counters } = this;
    const throttle = new Throttle(timers);
    const queueReport = (error: TracerError): void => {
      this.queueReport(error);
    };
    const report = (error: TracerError): void => {
      if (throttle.passes(error.code)) queueReport(error);
    };
    const drops = (this.drops = new DropLog(counters, timers, queueReport));
    this.timers = timers;
    this.keeper = this.createKeeper(report, previousKeys ?? []);
    const backlog = (this.backlog = new Backlog({
      options,
      drops,
      spool: this.keeper?.spool,
      nowMs: () => timers.nowMs(),
      onOpened: () => {
        this.startInterval();
      },
      onSealed: () => {
        this.pumpSoon();
      },
    }));
    this.waiters = new FlushWaiters((sequence) => backlog.queue.holds(sequence));
    this.sender = new Sender({
      route: settings.route ?? new ServiceRoute(settings.serviceUrl),
      apiKey: settings.apiKey,
      options,
      backlog,
      counters,
      drops,
      timers,
      random,
      report,
      load: (batch) => this.load(batch),
      isAwaited: () => this.waiters.isAwaited,
      onTried: () => {
        this.afterTry();
      },
    });
    listenForExit(this);
    this.keeper?.adopt();
  }

  add(line: ByteString): void {
    this.counters.recorded++;
    try {
      this.backlog.add(line);
    } catch {
      // No memory for another batch, or none to make a file from it.
      this.drops.drop('memory_full', 1);
    }
    if (this.backlog.isAtEnd) this.reportQueued();
  }

  async flush(
    timeoutMs = this.#settings.timeoutMs,
    { untilAway = false }: FlushOptions = {},
  ): Promise<boolean> {
    if (untilAway && this.isKept()) return this.backlog.figures().waiting === 0;
    return this.flushUnless(timeoutMs, () => this.sender.isStuck || (untilAway && this.isKept()));
  }

  shutdown(timeoutMs = this.options.shutdownTimeoutMs): Promise<void> {
    if (this.closing === undefined || this.recordedAtClose !== this.counters.recorded) {
      this.recordedAtClose = this.counters.recorded;
      this.closing = this.close(timeoutMs);
    }
    return this.closing;
  }

  stats(): DeliveryStats {
    return this.counters.toStats({ ...this.backlog.figures(), service: this.sender.service });
  }

  /** A last try, unless the service is known to be away: then files keep the records, and nobody waits. */
  onBeforeExit(): void {
    const { recorded } = this.counters;
    if (recorded === this.recordedAtExit || this.backlog.figures().waiting === 0) return;
    this.recordedAtExit = recorded;
    if (this.sender.isAway || (this.sender.isStuck && !this.backlog.hasOpenRecords)) return;
    this.endBeganAtMs = this.timers.nowMs();
    const mayWait = this.options.spool === false;
    void this.flushUnless(
      this.options.exitTimeoutMs,
      () => (this.sender.isAway || this.sender.isStuck) && !mayWait,
    ).then((isDone) => {
      if (!isDone) this.sender.abort();
    });
  }

  onExit(): void {
    this.keeper?.lookBeforeEnd();
    if (this.options.atExit === 'send') {
      // Files first: the process may be killed while it sends.
      this.backlog.seal();
      this.backlog.save();
    } else this.end();
  }

  startExitWork(): ExitWork | undefined {
    if (this.options.atExit !== 'send') return undefined;
    const sender = this.startExitSender();
    this.backlog.isAtEnd = true;
    return {
      step: (waitMs) => sender?.step(waitMs) === true,
      finish: () => {
        sender?.close();
        this.end();
      },
    };
  }

  private startExitSender(): ExitSender | undefined {
    const spentMs = this.timers.nowMs() - (this.endBeganAtMs ?? this.timers.nowMs());
    const timeoutMs = this.options.exitTimeoutMs - spentMs;
    if (timeoutMs <= 0 || this.backlog.queue.size === 0) return undefined;
    try {
      const readBody = (batch: Batch) => batch.content?.view() ?? this.keeper?.spool.readNow(batch);
      return this.sender.sendAtExit(readBody, timeoutMs);
    } catch {
      // This process may start no thread: files keep what they can.
      return undefined;
    }
  }

  private end(): void {
    this.backlog.end();
    this.reportQueued();
    this.keeper?.leave();
  }

  /** Not at once: whoever is told may ask for `stats()`, which adds up again when this turn is over. */
  private queueReport(error: TracerError): void {
    if (this.unreported.push(error) > 1) return;
    queueMicrotask(() => {
      this.reportQueued();
    });
  }

  private reportQueued(): void {
    for (const error of this.unreported.splice(0)) this.#settings.report(error);
  }

  private createKeeper(
    report: (error: TracerError) => void,
    previousKeys: readonly string[],
  ): SpoolKeeper | undefined {
    const { options, timers, drops } = this;
    const settings = this.#settings;
    if (options.spool === false) return undefined;
    return new SpoolKeeper({
      ...settings,
      previousKeys,
      options,
      timers,
      drops,
      report,
      onAdopted: (adoption) => {
        this.takeOver(adoption);
      },
      onExpired: (records) => {
        this.expire(records);
      },
      onQuarantineRemoved: ({ records, reason, isOwn }) => {
        if (isOwn) this.counters.drop('quarantined', -records);
        else this.countOthers(records);
        this.drops.drop(reason, records);
      },
      onTouched: () => {
        this.backlog.expire();
      },
      onDisowned: () => {
        this.backlog.disownFiles();
      },
    });
  }

  /** Records of dead processes that nobody will send any more. */
  private expire(records: number, ids: readonly string[] = []): void {
    this.countOthers(records);
    this.drops.drop('spool_expired', records, ids);
  }

  private countOthers(records: number): void {
    this.counters.recorded += records;
    this.counters.adopted += records;
  }

  private takeOver({ batches, damaged, expired }: Adoption): void {
    const { drops, backlog } = this;
    this.expire(expired.records, expired.ids);
    this.countOthers(batches.reduce((sum, batch) => sum + batch.records, damaged.length));
    const ids = damaged.filter((id) => id !== undefined);
    drops.drop('spool_damaged', damaged.length, ids);
    backlog.enqueue(batches);
    if (batches.length > 0) this.adoptedUpTo = backlog.queue.lastSequence;
  }

  private async flushUnless(timeoutMs: number, isUseless: () => boolean): Promise<boolean> {
    const endAtMs = this.timers.nowMs() + timeoutMs;
    const mayGiveUp = () => this.sender.isIdle && isUseless();
    this.backlog.seal();
    for (;;) {
      const awaited = this.backlog.queue.lastSequence;
      this.inBackground(() => {
        this.sender.hurry();
      });
      const leftMs = Math.max(0, endAtMs - this.timers.nowMs());
      if (!(await this.waiters.wait(awaited, leftMs, mayGiveUp))) return false;
      await this.keeper?.adopted();
      if (this.adoptedUpTo <= awaited && this.keeper?.adoptMore(this.backlog.queue.size) !== true)
        return true;
    }
  }

  /** The service is away, and files hold all that waits: it takes nobody's time. */
  private isKept(): boolean {
    if (!this.sender.isKnownAway || this.options.atExit === 'send') return false;
    this.backlog.save();
    const { waiting, spooled } = this.backlog.figures();
    return waiting === spooled;
  }

  private async close(timeoutMs: number): Promise<void> {
    await this.flush(timeoutMs, { untilAway: true });
    this.keeper?.lookBeforeEnd();
    this.backlog.save();
    this.drops.reportAll();
    this.afterTry();
    this.keeper?.leave();
  }

  private inBackground(work: () => void): void {
    background.runInAsyncScope(work);
  }

  /** Not at once: whoever records now does not wait for a request to be made. */
  private pumpSoon(): void {
    if (this.isPumpDue) return;
    this.isPumpDue = true;
    // Not unref'd: in an idle process the event loop would sleep on. It holds the process for one turn.
    setImmediate(() => {
      this.isPumpDue = false;
      this.inBackground(() => {
        this.sender.pump();
      });
    });
  }

  private startInterval(): void {
    const { intervalMs } = this.options;
    const nowMs = this.timers.nowMs();
    const isAfterPause = nowMs - this.openedAtMs >= intervalMs;
    this.openedAtMs = nowMs;
    this.interval?.cancel();
    this.interval = this.timers.start(
      () => {
        // While batches are refused, a new one tells whether all are.
        if (this.sender.hasRoom || (this.sender.isRefused && !this.backlog.hasUntried)) this.backlog.seal();
        else if (this.sender.isAway || this.sender.isRefused) this.backlog.save(SAVES_AN_INTERVAL);
        if (this.backlog.hasOpenRecords) this.startInterval();
      },
      isAfterPause ? Math.min(AFTER_PAUSE_MS, intervalMs) : intervalMs,
    );
  }

  private async load(batch: Batch): Promise<Buffer | undefined> {
    if (batch.content !== undefined) return batch.content.view();
    const body = await this.keeper?.load(batch);
    if (body === undefined) this.backlog.finish(batch, false);
    return body;
  }

  private afterTry(): void {
    this.keeper?.adoptMore(this.backlog.queue.size);
    this.waiters.check();
    if (this.closing !== undefined && !this.waiters.isAwaited) this.sender.stopIfIdle();
  }
}
