import { type IngestAnswer } from '@dacapo/protocol';
import { Inject, Injectable } from '@nestjs/common';
import { MemoryBudget } from '../memory/memory-budget.js';
import { STORAGE, type Storage } from '../storage/storage.js';
import type { StorageFigures } from '../storage/storage-figures.js';
import { Counter, exposition, Gauge, Histogram, type Instrument } from './instruments.js';
import { ProcessMetrics } from './process-metrics.js';

/** Seconds. */
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const STORAGE_GAUGES: Record<keyof StorageFigures, [name: string, help: string]> = {
  writesWaiting: ['dacapo_storage_writes_waiting', 'Writes that were asked for and are not done.'],
  readers: ['dacapo_storage_readers', 'Connections that read, at most.'],
  readersBusy: ['dacapo_storage_readers_busy', 'Connections that read, at work.'],
  readsWaiting: ['dacapo_storage_reads_waiting', 'Reads that wait for a connection.'],
  databaseBytes: ['dacapo_storage_database_bytes', 'Size of the database file.'],
  walBytes: ['dacapo_storage_wal_bytes', "Size of the database's log, the WAL."],
  freeDiskBytes: ['dacapo_storage_free_disk_bytes', 'Free on the disk of the database.'],
  rollupBatchesWaiting: ['dacapo_rollup_batches_waiting', 'Batches that metrics do not tell of yet.'],
  textSpansWaiting: ['dacapo_text_index_spans_waiting', 'Spans that a search for a text does not find yet.'],
  deletionsOpen: ['dacapo_deletions_open', 'Deletions that are not done.'],
  browserSessions: ['dacapo_browser_sessions', 'Browsers that are signed in.'],
};

/** What the service counts of itself, of all accounts together. No label tells who or what: each has a few values for good. */
@Injectable()
export class ServiceMetrics {
  readonly process = new ProcessMetrics();
  private readonly requests = new Counter('dacapo_http_requests_total', 'Requests that were answered.', [
    'class',
    'status',
  ]);
  private readonly durations = new Histogram(
    'dacapo_http_request_duration_seconds',
    'From the arrival of a request to the end of its answer.',
    'class',
    DURATIONS,
  );
  private readonly inFlight = new Gauge(
    'dacapo_http_requests_in_flight',
    'Requests that are being answered.',
  );
  private readonly bodyBytes = new Counter(
    'dacapo_http_request_body_bytes_total',
    'Bodies, as they were sent.',
    ['class'],
  );
  private readonly refusals = new Counter(
    'dacapo_refusals_total',
    'Requests refused with 413, 429 or 503: memory, too_large, rate_limit, storage_full, storage_damaged, storage_failed.',
    ['reason'],
  );
  private readonly accepted = new Counter(
    'dacapo_ingest_records_total',
    'Spans, trace facts and scores taken in, the dropped ones included, repeated batches not.',
  );
  private readonly rejected = new Counter('dacapo_ingest_rejected_lines_total', 'Lines that are no records.');
  private readonly duplicates = new Counter(
    'dacapo_ingest_duplicate_records_total',
    'Records of batches that came again under the same id.',
  );
  private readonly dropped = new Counter(
    'dacapo_ingest_dropped_records_total',
    'Records not stored because their trace was deleted.',
  );
  private readonly memory = new Gauge('dacapo_request_memory_bytes', 'Memory that requests hold.');
  private readonly memoryLimit = new Gauge(
    'dacapo_request_memory_limit_bytes',
    'Memory that requests may hold.',
  );
  private readonly ready = new Gauge('dacapo_storage_ready', '1 when `/health/ready` says so, else 0.');
  private readonly checked = new Gauge(
    'dacapo_storage_checked_timestamp_seconds',
    'When all that is stored was looked through last, since 1970.',
  );
  private readonly storageGauges = Object.entries(STORAGE_GAUGES).map(([figure, [name, help]]) => ({
    figure: figure as keyof StorageFigures,
    gauge: new Gauge(name, help),
  }));

  constructor(
    private readonly budget: MemoryBudget,
    @Inject(STORAGE) private readonly storage: Storage,
  ) {
    this.inFlight.set(0);
  }

  /** All metrics, with or without a value. */
  instruments(): Instrument[] {
    return [
      ...[this.requests, this.durations, this.inFlight, this.bodyBytes, this.refusals],
      ...[this.accepted, this.rejected, this.duplicates, this.dropped],
      ...[this.memory, this.memoryLimit, this.ready, this.checked],
      ...this.storageGauges.map(({ gauge }) => gauge),
      ...this.process.instruments(),
    ];
  }

  requestArrived(): void {
    this.inFlight.add(1);
  }

  /** @param routeClass one of a few */
  requestEnded(routeClass: string, status: number, seconds: number, bodyBytes: number): void {
    this.inFlight.add(-1);
    this.requests.add(1, { class: routeClass, status: String(status) });
    this.durations.observe(seconds, routeClass);
    if (bodyBytes > 0) this.bodyBytes.add(bodyBytes, { class: routeClass });
  }

  /** The client left before it had its answer. */
  requestLeft(): void {
    this.inFlight.add(-1);
  }

  requestRefused(reason: string): void {
    this.refusals.add(1, { reason });
  }

  batchIngested({ accepted, rejected, duplicate, dropped = 0 }: IngestAnswer): void {
    (duplicate === true ? this.duplicates : this.accepted).add(accepted);
    this.rejected.add(rejected.length);
    this.dropped.add(dropped);
  }

  /** All of them now, in the text format of Prometheus. */
  async read(): Promise<string> {
    this.memory.set(this.budget.heldBytes);
    this.memoryLimit.set(this.budget.limitBytes);
    this.process.read();
    await Promise.all([this.readHealth(), this.readFigures()]);
    return exposition(this.instruments());
  }

  private async readHealth(): Promise<void> {
    const health = await this.storage.meta.ping().catch(() => undefined);
    this.ready.set(health === undefined ? 0 : 1);
    if (health?.checkedAt !== undefined) this.checked.set(Date.parse(health.checkedAt) / 1000);
  }

  private async readFigures(): Promise<void> {
    const figures = await this.storage.measure?.().catch(() => undefined);
    for (const { figure, gauge } of this.storageGauges) {
      if (figures === undefined) gauge.clear();
      else gauge.set(figures[figure]);
    }
  }
}
