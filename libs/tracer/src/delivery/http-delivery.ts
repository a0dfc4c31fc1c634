import { AsyncResource } from 'node:async_hooks';
import { realEpochMs } from '../context/clock.js';
import type { ByteString } from '../byte-string.js';
import { Throttle } from '../diagnostics/throttle.js';
import type { TracerError } from '../errors.js';
import { Backlog } from './backlog.js';
import type { Batch } from './batching/batch.js';
import { Counters } from './counters.js';
import {
  type DeliveryOptions,
  type WorkingOptions,
  resolveDeliveryOptions,
} from '../options/delivery-options.js';
import { DropLog } from './drop-log.js';
import { listenForExit } from './exit-hooks.js';
import { FlushWaiters } from './flush-waiters.js';
import type { DeliveryStats, FlushOptions, RecordSink } from './record-sink.js';
import { Sender } from './sending/sender.js';
import { SpoolKeeper } from './spool/spool-keeper.js';
import type { Adoption } from './spool/stored-batches.js';
import { setImmediate, systemTimers, type Timer, type Timers } from './timers.js';

/** Sealed batches that are written to files each interval while the service is away. */
const SAVES_AN_INTERVAL = 2;

export interface HttpDeliverySettings {
  readonly serviceUrl: string;
  readonly apiKey: string;
  /** The tracer's `timeout`: how long `flush()` waits, and the most that one try takes. */
  readonly timeoutMs: number;
  readonly options?: DeliveryOptions;
  /** Names of spool folders whose files are to be sent too, under this key. */
  readonly takeFrom?: readonly string[];
  /** Told of what goes wrong, of each cause once a minute. */
  readonly report: (error: TracerError) => void;
}

/** What a test replaces. */
export interface HttpDeliveryParts {
  readonly timers?: Timers;
  readonly random?: () => number;
}

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
  /** Sequence of the newest batch that a dead process left. */
  private adoptedUpTo = 0;
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
    const report = (error: TracerError): void => {
      if (throttle.passes(error.code)) settings.report(error);
    };
    const drops = (this.drops = new DropLog(counters, timers, settings.report));
    this.timers = timers;
    this.keeper = this.createKeeper(report, previousKeys ?? []);
    const backlog = (this.backlog = new Backlog({
      options,
      drops,
      spool: this.keeper?.spool,
      onOpened: () => {
        this.startInterval();
      },
      onSealed: () => {
        this.pumpSoon();
      },
    }));
    this.waiters = new FlushWaiters((sequence) => backlog.queue.holds(sequence));
    this.sender = new Sender({
      serviceUrl: settings.serviceUrl,
      apiKey: settings.apiKey,
      options,
      backlog,
      counters,
      drops,
      timers,
      random,
      report,
      load: (batch) => this.load(batch),
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
  }

  async flush(
    timeoutMs = this.#settings.timeoutMs,
    { untilAway = false }: FlushOptions = {},
  ): Promise<boolean> {
    if (untilAway && this.isKept()) return this.backlog.figures().waiting === 0;
    return this.flushUnless(
      timeoutMs,
      () => this.sender.service === 'refusing' || (untilAway && this.isKept()),
    );
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
    if (this.sender.isAway) return;
    this.endBeganAtMs = this.timers.nowMs();
    const mayWait = this.options.spool === false;
    void this.flushUnless(this.options.exitTimeoutMs, () => this.sender.isAway && !mayWait).then((isDone) => {
      if (!isDone) this.sender.abort();
    });
  }

  onExit(): void {
    this.keeper?.lookBeforeEnd();
    if (this.options.atExit === 'send') this.sendBeforeEnd();
    this.backlog.end();
    this.keeper?.leave();
  }

  /** Files first: the process may be killed while it waits. */
  private sendBeforeEnd(): void {
    this.backlog.seal();
    this.backlog.save();
    this.backlog.isAtEnd = true;
    try {
      const spentMs = this.timers.nowMs() - (this.endBeganAtMs ?? this.timers.nowMs());
      this.sender.sendAtExit(
        (batch) => batch.content?.view() ?? this.keeper?.spool.readNow(batch),
        Math.max(0, this.options.exitTimeoutMs - spentMs),
      );
    } catch {
      // This process may start no thread: files keep what they can.
    }
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
      onTouched: () => {
        this.backlog.expire(realEpochMs());
      },
      onDisowned: () => {
        this.backlog.disownFiles();
      },
    });
  }

  /** Records of dead processes that nobody will send any more. */
  private expire(records: number, ids: readonly string[] = []): void {
    this.counters.recorded += records;
    this.counters.adopted += records;
    this.drops.drop('spool_expired', records, ids);
  }

  private takeOver({ batches, damaged, expired }: Adoption): void {
    const { counters, drops, backlog } = this;
    this.expire(expired.records, expired.ids);
    const records = batches.reduce((sum, batch) => sum + batch.records, damaged.length);
    counters.recorded += records;
    counters.adopted += records;
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
    this.drops.tellAll();
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
    setImmediate(() => {
      this.isPumpDue = false;
      this.inBackground(() => {
        this.sender.pump();
      });
    }).unref();
  }

  private startInterval(): void {
    this.interval?.cancel();
    this.interval = this.timers.start(() => {
      if (this.sender.hasRoom) this.backlog.seal();
      else if (this.sender.isAway) this.backlog.save(SAVES_AN_INTERVAL);
      if (this.backlog.hasOpenRecords) this.startInterval();
    }, this.options.intervalMs);
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
    if (this.closing !== undefined) this.sender.closeIfIdle();
  }
}
