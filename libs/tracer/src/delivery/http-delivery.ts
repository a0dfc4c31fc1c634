import type { ByteString } from '../byte-string.js';
import { ServiceRoute } from '../service/service-route.js';
import { AdoptedRecords } from './adopted-records.js';
import { Backlog } from './backlog.js';
import { BatchSchedule } from './batch-schedule.js';
import type { Batch } from './batching/batch.js';
import { Counters } from './counters.js';
import { type WorkingOptions, resolveDeliveryOptions } from '../options/delivery-options.js';
import { DropLog } from './drop-log.js';
import { ErrorReports } from './error-reports.js';
import { ExitDelivery } from './exit-delivery.js';
import { type ExitListener, listenForExit } from './exit-hooks.js';
import { FlushWaiters } from './flush-waiters.js';
import type { HttpDeliveryParts, HttpDeliverySettings } from './http-delivery-settings.js';
import type { DeliveryStats, FlushOptions, RecordSink } from './record-sink.js';
import { Sender } from './sending/sender.js';
import { SpoolKeeper } from './spool/spool-keeper.js';
import { systemTimers, type Timers } from './timers.js';

/**
 * Sends records to the service in the background: batches over HTTP, each with an id that makes resending safe,
 * and spool files for records that wait longer than memory or the process lasts.
 */
export class HttpDelivery implements RecordSink {
  /** Private fields, so that printing an object of the tracer shows no keys. */
  readonly #settings: HttpDeliverySettings;
  private readonly options: WorkingOptions;
  private readonly timers: Timers;
  private readonly counters = new Counters();
  private readonly reports: ErrorReports;
  private readonly drops: DropLog;
  private readonly adopted: AdoptedRecords;
  private readonly keeper: SpoolKeeper | undefined;
  private readonly backlog: Backlog;
  private readonly sender: Sender;
  private readonly schedule: BatchSchedule;
  private readonly waiters: FlushWaiters;
  /** Listens for the end of the process. */
  readonly exit: ExitListener;
  private closing: Promise<void> | undefined;
  private recordedAtClose = 0;

  /** @throws InvalidOptionError when a delivery option is invalid. */
  constructor(
    settings: HttpDeliverySettings,
    { timers = systemTimers, random = Math.random }: HttpDeliveryParts = {},
  ) {
    this.#settings = settings;
    const { previousKeys, ...options } = resolveDeliveryOptions(settings.options ?? {}, settings.timeoutMs);
    this.options = options;
    const { counters } = this;
    const reports = (this.reports = new ErrorReports(timers, settings.report));
    const drops = (this.drops = new DropLog(counters, timers, reports.add));
    this.adopted = new AdoptedRecords(counters, drops);
    this.timers = timers;
    const keeper = (this.keeper = this.createKeeper(previousKeys ?? []));
    const backlog = (this.backlog = new Backlog({
      options,
      drops,
      spool: keeper?.spool,
      nowMs: () => timers.nowMs(),
      onOpened: () => {
        this.schedule.startInterval();
      },
      onSealed: () => {
        this.schedule.pumpSoon();
      },
    }));
    this.waiters = new FlushWaiters((sequence) => backlog.queue.holds(sequence));
    const sender = (this.sender = new Sender({
      route: settings.route ?? new ServiceRoute(settings.serviceUrl),
      apiKey: settings.apiKey,
      options,
      backlog,
      counters,
      drops,
      timers,
      random,
      report: reports.addOnce,
      load: (batch) => this.load(batch),
      isAwaited: () => this.waiters.isAwaited,
      onTried: () => {
        this.afterTry();
      },
    }));
    this.schedule = new BatchSchedule(options, timers, backlog, sender);
    this.exit = new ExitDelivery({
      options,
      backlog,
      counters,
      sender,
      keeper,
      reports,
      timers,
      flush: (timeoutMs, isUseless) => this.flushUnless(timeoutMs, isUseless),
    });
    listenForExit(this.exit);
    keeper?.adopt();
  }

  add(line: ByteString): void {
    this.counters.recorded++;
    try {
      this.backlog.add(line);
    } catch {
      // No memory for another batch, or for making a file from it.
      this.drops.drop('memory_full', 1);
    }
    if (this.backlog.isAtEnd) this.reports.flush();
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

  private createKeeper(previousKeys: readonly string[]): SpoolKeeper | undefined {
    const { options, timers, drops, adopted } = this;
    if (options.spool === false) return undefined;
    return new SpoolKeeper({
      ...this.#settings,
      previousKeys,
      options,
      timers,
      drops,
      report: this.reports.addOnce,
      onAdopted: (adoption) => {
        adopted.takeOver(adoption, this.backlog);
      },
      onExpired: adopted.expire,
      onQuarantineRemoved: adopted.removeFromQuarantine,
      onTouched: () => {
        this.backlog.expire();
      },
      onDisowned: () => {
        this.backlog.disownFiles();
      },
    });
  }

  private async flushUnless(timeoutMs: number, isUseless: () => boolean): Promise<boolean> {
    const endAtMs = this.timers.nowMs() + timeoutMs;
    const mayGiveUp = () => this.sender.isIdle && isUseless();
    this.backlog.seal();
    for (;;) {
      const awaited = this.backlog.queue.lastSequence;
      this.schedule.hurry();
      const leftMs = Math.max(0, endAtMs - this.timers.nowMs());
      if (!(await this.waiters.wait(awaited, leftMs, mayGiveUp))) return false;
      await this.keeper?.adopted();
      if (this.adopted.upTo <= awaited && this.keeper?.adoptMore(this.backlog.queue.size) !== true)
        return true;
    }
  }

  /** Whether the service is away and files hold all waiting records, so that waiting is useless. */
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
