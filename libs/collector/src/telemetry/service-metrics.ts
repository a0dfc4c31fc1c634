import { type IngestAnswer } from '@dacapo/protocol';
import { Inject, Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { MemoryBudget } from '../memory/memory-budget.js';
import { STORAGE, type Storage } from '../storage/storage.js';
import type { StorageFigures } from '../storage/ports/storage-figures.js';

/** In seconds. */
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const STORAGE_GAUGES: Record<keyof StorageFigures, [name: string, help: string]> = {
  writesWaiting: ['dacapo_storage_writes_waiting', 'Writes that were asked for and are not done.'],
  readers: ['dacapo_storage_readers', 'Connections that read, at most.'],
  readersBusy: ['dacapo_storage_readers_busy', 'Connections that read, at work.'],
  readsWaiting: ['dacapo_storage_reads_waiting', 'Reads that wait for a connection.'],
  databaseBytes: ['dacapo_storage_database_bytes', 'Size of the database file.'],
  walBytes: ['dacapo_storage_wal_bytes', "Size of the database's log, the WAL."],
  mediaBytes: ['dacapo_storage_media_bytes', 'Images, sounds and files of all accounts.'],
  freeDiskBytes: ['dacapo_storage_free_disk_bytes', 'Free on the disk of the database.'],
  rollupBatchesWaiting: ['dacapo_rollup_batches_waiting', 'Batches that metrics do not include yet.'],
  textSpansWaiting: ['dacapo_text_index_spans_waiting', 'Spans that a search for a text does not find yet.'],
  deletionsOpen: ['dacapo_deletions_open', 'Deletions that are not done.'],
  browserSessions: ['dacapo_browser_sessions', 'Browsers that are signed in.'],
};

/** Metrics of the service, for all accounts together. No label identifies an account or a key, and each has few values. */
@Injectable()
export class ServiceMetrics {
  readonly registry = new Registry();
  private readonly requests = this.counter('dacapo_http_requests_total', 'Requests that were answered.', [
    'class',
    'status',
  ]);
  private readonly durations = new Histogram({
    name: 'dacapo_http_request_duration_seconds',
    help: 'From the arrival of a request to the end of its answer.',
    labelNames: ['class'],
    buckets: DURATIONS,
    registers: [this.registry],
  });
  private readonly inFlight = this.gauge(
    'dacapo_http_requests_in_flight',
    'Requests that are being answered.',
  );
  private readonly bodyBytes = this.counter(
    'dacapo_http_request_body_bytes_total',
    'Bodies, as they were sent.',
    ['class'],
  );
  private readonly refusals = this.counter(
    'dacapo_refusals_total',
    'Requests refused with 413, 429 or 503: memory, too_large, rate_limit, storage_full, storage_damaged, storage_failed.',
    ['reason'],
  );
  private readonly accepted = this.counter(
    'dacapo_ingest_records_total',
    'Spans, trace facts and scores taken in, the dropped ones included, repeated batches not.',
  );
  private readonly rejected = this.counter(
    'dacapo_ingest_rejected_lines_total',
    'Lines that are no records.',
  );
  private readonly duplicates = this.counter(
    'dacapo_ingest_duplicate_records_total',
    'Records of batches that came again under the same id.',
  );
  private readonly dropped = this.counter(
    'dacapo_ingest_dropped_records_total',
    'Records not stored because their trace was deleted.',
  );
  private readonly memory = this.gauge('dacapo_request_memory_bytes', 'Memory that requests hold.');
  private readonly memoryLimit = this.gauge(
    'dacapo_request_memory_limit_bytes',
    'Memory that requests may hold.',
  );
  private readonly ready = this.gauge('dacapo_storage_ready', '1 when `/health/ready` says so, else 0.');
  private readonly checked = this.gauge(
    'dacapo_storage_checked_timestamp_seconds',
    'When all that is stored was looked through last, since 1970.',
  );
  private readonly storageGauges = Object.entries(STORAGE_GAUGES).map(([figure, [name, help]]) => ({
    figure: figure as keyof StorageFigures,
    gauge: this.gauge(name, help),
  }));

  constructor(
    private readonly budget: MemoryBudget,
    @Inject(STORAGE) private readonly storage: Storage,
  ) {}

  requestArrived(): void {
    this.inFlight.inc();
  }

  /** @param routeClass one of few values */
  requestEnded(routeClass: string, status: number, seconds: number, bodyBytes: number): void {
    this.inFlight.dec();
    this.requests.inc({ class: routeClass, status });
    this.durations.observe({ class: routeClass }, seconds);
    if (bodyBytes > 0) this.bodyBytes.inc({ class: routeClass }, bodyBytes);
  }

  /** Call when the client disconnects before the answer. */
  requestLeft(): void {
    this.inFlight.dec();
  }

  requestRefused(reason: string): void {
    this.refusals.inc({ reason });
  }

  batchIngested({ accepted, rejected, duplicate, dropped = 0 }: IngestAnswer): void {
    (duplicate === true ? this.duplicates : this.accepted).inc(accepted);
    this.rejected.inc(rejected.length);
    this.dropped.inc(dropped);
  }

  /** Updates all metrics and writes them in the text format of Prometheus. */
  async read(): Promise<string> {
    this.memory.set(this.budget.heldBytes);
    this.memoryLimit.set(this.budget.limitBytes);
    await Promise.all([this.readHealth(), this.readFigures()]);
    return this.registry.metrics();
  }

  private async readHealth(): Promise<void> {
    const health = await this.storage.meta.ping().catch(() => undefined);
    this.ready.set(health === undefined ? 0 : 1);
    if (health?.checkedAt === undefined) this.checked.remove();
    else this.checked.set(Date.parse(health.checkedAt) / 1000);
  }

  private async readFigures(): Promise<void> {
    const figures = await this.storage.measure?.().catch(() => undefined);
    for (const { figure, gauge } of this.storageGauges) {
      if (figures === undefined) gauge.remove();
      else gauge.set(figures[figure]);
    }
  }

  private counter<Label extends string = never>(
    name: string,
    help: string,
    labelNames: Label[] = [],
  ): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  private gauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers: [this.registry] });
  }
}
