import { AsyncResource } from 'node:async_hooks';
import type { TracerError } from '../errors.js';
import { Backlog } from './backlog.js';
import type { Batch } from './batching/batch.js';
import { Counters } from './counters.js';
import {
  type DeliveryOptions,
  type ResolvedDeliveryOptions,
  resolveDeliveryOptions,
} from './delivery-options.js';
import { listenForExit } from './exit-hooks.js';
import { FlushWaiters } from './flush-waiters.js';
import type { DeliveryStats, RecordSink } from './record-sink.js';
import { DropLog } from './reporting/drop-log.js';
import { reportOnceAMinute } from './reporting/report-once-a-minute.js';
import { Backoff } from './sending/backoff.js';
import { BodyEncoder } from './sending/body-encoder.js';
import { ConcurrencyLimit } from './sending/concurrency-limit.js';
import { Dispatcher } from './sending/dispatcher.js';
import { HttpClient } from './sending/http-client.js';
import { isLoopback } from './sending/loopback.js';
import { ServiceHealth } from './sending/service-health.js';
import { Settlement } from './sending/settlement.js';
import { SpoolKeeper } from './spool/spool-keeper.js';
import { systemTimers, type Timer, type Timers } from './timers.js';

/** Sealed batches that are written to files each interval while the service is away. */
const SAVES_AN_INTERVAL = 2;

export interface HttpDeliverySettings {
  readonly serviceUrl: string;
  readonly apiKey: string;
  /** The tracer's `timeout`: how long `flush()` waits, and the most that one try takes. */
  readonly timeoutMs: number;
  readonly options?: DeliveryOptions;
  /** Told of what goes wrong, of each cause once a minute. */
  readonly report: (error: TracerError) => void;
}

/** What a test replaces. */
export interface HttpDeliveryParts {
  readonly timers?: Timers;
  readonly random?: () => number;
}

/**
 * Sends records to the service in the background: batches over HTTP, each under an id that makes resending safe,
 * and spool files for what must wait longer than memory or the process lasts.
 */
export class HttpDelivery implements RecordSink {
  private readonly options: ResolvedDeliveryOptions;
  private readonly timers: Timers;
  private readonly counters = new Counters();
  private readonly drops: DropLog;
  private readonly keeper: SpoolKeeper | undefined;
  private readonly backlog: Backlog;
  private readonly health: ServiceHealth;
  private readonly client: HttpClient;
  private readonly dispatcher: Dispatcher;
  private readonly waiters: FlushWaiters;
  /** Keeps the asynchronous context of whoever recorded out of what happens in the background. */
  private readonly background = new AsyncResource('DacapoDelivery');
  private interval: Timer | undefined;
  private isPumpDue = false;
  private closing: Promise<void> | undefined;
  private recordedAtClose = 0;
  private recordedAtExit = -1;

  /** @throws InvalidOptionError when a delivery option has a value that cannot work. */
  constructor(
    private readonly settings: HttpDeliverySettings,
    { timers = systemTimers, random = Math.random }: HttpDeliveryParts = {},
  ) {
    const options = (this.options = resolveDeliveryOptions(settings.options ?? {}, settings.timeoutMs));
    const { counters } = this;
    const report = reportOnceAMinute(settings.report, timers);
    const serviceUrl = new URL(settings.serviceUrl);
    const backoff = new Backoff(options.retryMinDelayMs, options.retryMaxDelayMs, random);
    const limit = new ConcurrencyLimit(options.maxConcurrency);
    const encoder = new BodyEncoder(options.compression === 'auto' && !isLoopback(serviceUrl));
    const drops = (this.drops = new DropLog(counters, timers, settings.report));
    const health = (this.health = new ServiceHealth(backoff));
    this.timers = timers;
    this.keeper = this.createKeeper(report);
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
    const client = (this.client = new HttpClient({
      serviceUrl,
      apiKey: settings.apiKey,
      requestTimeoutMs: options.requestTimeoutMs,
      maxSockets: options.maxConcurrency,
      timers,
    }));
    const settlement = new Settlement({
      backlog,
      counters,
      drops,
      health,
      limit,
      backoff,
      encoder,
      timers,
      report,
    });
    this.waiters = new FlushWaiters((sequence) => backlog.queue.holds(sequence));
    this.dispatcher = new Dispatcher({
      queue: backlog.queue,
      health,
      limit,
      client,
      encoder,
      timers,
      load: (batch) => this.load(batch),
      settle: (batch, result) => {
        settlement.settle(batch, result);
      },
      onSettled: () => {
        this.afterTry();
      },
    });
    listenForExit(this);
    this.keeper?.adopt();
  }

  add(line: string): void {
    this.counters.recorded++;
    try {
      this.backlog.add(line);
    } catch {
      // No memory for another batch, or none to make a file from it.
      this.drops.drop('memory_full', 1);
    }
  }

  flush(timeoutMs = this.settings.timeoutMs): Promise<boolean> {
    return this.flushUnless(timeoutMs, () => this.health.state === 'refusing');
  }

  shutdown(timeoutMs = this.options.shutdownTimeoutMs): Promise<void> {
    if (this.closing === undefined || this.recordedAtClose !== this.counters.recorded) {
      this.recordedAtClose = this.counters.recorded;
      this.closing = this.close(timeoutMs);
    }
    return this.closing;
  }

  stats(): DeliveryStats {
    return this.counters.toStats({ ...this.backlog.figures(), service: this.health.state });
  }

  /** A last try, unless the service is known to be away: then files keep the records, and nobody waits. */
  onBeforeExit(): void {
    const { recorded } = this.counters;
    if (recorded === this.recordedAtExit || this.backlog.figures().waiting === 0) return;
    this.recordedAtExit = recorded;
    if (this.health.isAway) return;
    const mayWait = this.options.spool === false;
    void this.flushUnless(this.options.exitTimeoutMs, () => this.health.isAway && !mayWait);
  }

  onExit(): void {
    this.backlog.seal();
    this.backlog.save();
    this.backlog.dropUnsaved();
    this.drops.tellAll();
    this.keeper?.leave();
  }

  private createKeeper(report: (error: TracerError) => void): SpoolKeeper | undefined {
    const { settings, options, timers, drops, counters } = this;
    if (options.spool === false) return undefined;
    return new SpoolKeeper({
      ...settings,
      options,
      timers,
      drops,
      report,
      onAdopted: ({ batches, records, othersBytes }) => {
        counters.recorded += records;
        counters.adopted += records;
        this.backlog.othersSpoolBytes = othersBytes;
        this.backlog.enqueue(batches);
      },
      onDisowned: () => {
        this.backlog.disownFiles();
      },
    });
  }

  private async flushUnless(timeoutMs: number, isUseless: () => boolean): Promise<boolean> {
    const endAtMs = this.timers.nowMs() + timeoutMs;
    const mayGiveUp = () => this.dispatcher.isIdle && isUseless();
    this.backlog.seal();
    for (;;) {
      this.hurry();
      const leftMs = Math.max(0, endAtMs - this.timers.nowMs());
      if (!(await this.waiters.wait(this.backlog.queue.lastSequence, leftMs, mayGiveUp))) return false;
      if (this.keeper?.isAdopting !== true) return true;
      await this.keeper.settled();
    }
  }

  private async close(timeoutMs: number): Promise<void> {
    await this.flush(timeoutMs);
    this.backlog.save();
    this.drops.tellAll();
    this.afterTry();
    this.keeper?.leave();
  }

  /** Forgets the pauses between tries, but not those that the service asked for. */
  private hurry(): void {
    this.health.hurry();
    for (const batch of this.backlog.queue) batch.readyAtMs = 0;
    this.pump();
  }

  private pump(): void {
    this.background.runInAsyncScope(() => {
      this.dispatcher.pump();
    });
  }

  /** Not at once: whoever records now does not wait for a request to be made. */
  private pumpSoon(): void {
    if (this.isPumpDue) return;
    this.isPumpDue = true;
    setImmediate(() => {
      this.isPumpDue = false;
      this.pump();
    }).unref();
  }

  private startInterval(): void {
    this.interval?.cancel();
    this.interval = this.timers.start(() => {
      if (this.dispatcher.hasRoom) this.backlog.seal();
      else if (this.health.isAway) this.backlog.save(SAVES_AN_INTERVAL);
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
    if (this.closing !== undefined && this.dispatcher.isIdle) this.client.close();
  }
}
