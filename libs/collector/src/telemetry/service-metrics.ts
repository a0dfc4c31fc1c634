import { type IngestAnswer } from '@dacapo/protocol';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { SpanForwarder } from '../forwarding/span-forwarder.js';
import { MemoryBudget } from '../memory/memory-budget.js';
import type { OtlpOutcome } from '../otlp/otlp-service.js';
import { STORAGE, type Storage } from '../storage/storage.js';
import type { StorageFigures } from '../storage/ports/storage-figures.js';

/** In seconds. */
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const STORAGE_GAUGES: Record<keyof StorageFigures, [name: string, help: string]> = {
  writesWaiting: ['dacapo_storage_writes_waiting', 'Writes that are waiting.'],
  readers: ['dacapo_storage_readers', 'Maximum number of read connections.'],
  readersBusy: ['dacapo_storage_readers_busy', 'Busy read connections.'],
  readsWaiting: ['dacapo_storage_reads_waiting', 'Reads that wait for a connection.'],
  databaseBytes: ['dacapo_storage_database_bytes', 'Size of the database file.'],
  walBytes: ['dacapo_storage_wal_bytes', 'Size of the write-ahead log.'],
  mediaBytes: ['dacapo_storage_media_bytes', 'Size of the images, sounds and files of all accounts.'],
  freeDiskBytes: ['dacapo_storage_free_disk_bytes', 'Free space on the disk of the database.'],
  rollupBatchesWaiting: ['dacapo_rollup_batches_waiting', 'Batches that metrics do not include yet.'],
  textSpansWaiting: ['dacapo_text_index_spans_waiting', 'Spans that text search does not find yet.'],
  deletionsOpen: ['dacapo_deletions_open', 'Unfinished deletions.'],
  browserSessions: ['dacapo_browser_sessions', 'Browsers that are signed in.'],
};

/** Metrics of the service, for all accounts together. No label identifies an account or a key, and each has few values. */
@Injectable()
export class ServiceMetrics {
  readonly registry = new Registry();
  private readonly requests = this.counter('dacapo_http_requests_total', 'Answered requests.', [
    'class',
    'status',
  ]);
  private readonly durations = new Histogram({
    name: 'dacapo_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    labelNames: ['class'],
    buckets: DURATIONS,
    registers: [this.registry],
  });
  private readonly inFlight = this.gauge('dacapo_http_requests_in_flight', 'Requests in progress.');
  private readonly bodyBytes = this.counter(
    'dacapo_http_request_body_bytes_total',
    'Size of request bodies as sent.',
    ['class'],
  );
  private readonly refusals = this.counter(
    'dacapo_refusals_total',
    'Requests refused with 413, 429 or 503: memory, too_large, rate_limit, storage_full, storage_damaged, storage_failed.',
    ['reason'],
  );
  private readonly accepted = this.counter(
    'dacapo_ingest_records_total',
    'Accepted spans, trace facts and scores, including dropped ones, excluding repeated batches.',
  );
  private readonly rejected = this.counter('dacapo_ingest_rejected_lines_total', 'Rejected lines.');
  private readonly duplicates = this.counter(
    'dacapo_ingest_duplicate_records_total',
    'Records of batches that were sent again with the same id.',
  );
  private readonly dropped = this.counter(
    'dacapo_ingest_dropped_records_total',
    'Records not stored because their trace was deleted.',
  );
  private readonly forwarded = this.counter(
    'dacapo_forwarded_spans_total',
    'Spans that this process forwarded by OTLP.',
    ['result'],
  );
  private readonly forwardsWaiting = this.gauge(
    'dacapo_forward_spans_waiting',
    'Spans that wait to be forwarded.',
  );
  private readonly rejectedSpans = this.counter(
    'dacapo_otlp_rejected_spans_total',
    'Spans of OpenTelemetry that are invalid.',
  );
  private readonly skippedSpans = this.counter(
    'dacapo_otlp_skipped_spans_total',
    'Spans of OpenTelemetry without AI content, which are not stored.',
  );
  private readonly memory = this.gauge('dacapo_request_memory_bytes', 'Memory used by requests.');
  private readonly memoryLimit = this.gauge('dacapo_request_memory_limit_bytes', 'Memory limit of requests.');
  private readonly ready = this.gauge(
    'dacapo_storage_ready',
    '1 if `/health/ready` answers with 200, otherwise 0.',
  );
  private readonly checked = this.gauge(
    'dacapo_storage_checked_timestamp_seconds',
    'Unix time of the last complete check of the storage.',
  );
  private readonly storageGauges = Object.entries(STORAGE_GAUGES).map(([figure, [name, help]]) => ({
    figure: figure as keyof StorageFigures,
    gauge: this.gauge(name, help),
  }));

  constructor(
    private readonly budget: MemoryBudget,
    @Inject(STORAGE) private readonly storage: Storage,
    @Optional() private readonly forwarder?: SpanForwarder,
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

  spansReceived({ accepted, rejected, skipped, dropped }: OtlpOutcome): void {
    this.accepted.inc(accepted);
    this.dropped.inc(dropped);
    this.rejectedSpans.inc(rejected.length);
    this.skippedSpans.inc(skipped);
  }

  /** Updates all metrics and writes them in the text format of Prometheus. */
  async read(): Promise<string> {
    this.memory.set(this.budget.heldBytes);
    this.memoryLimit.set(this.budget.limitBytes);
    await Promise.all([this.readHealth(), this.readFigures(), this.readForwards()]);
    return this.registry.metrics();
  }

  private async readHealth(): Promise<void> {
    const health = await this.storage.meta.ping().catch(() => undefined);
    this.ready.set(health === undefined ? 0 : 1);
    if (health?.checkedAt === undefined) this.checked.remove();
    else this.checked.set(Date.parse(health.checkedAt) / 1000);
  }

  private async readForwards(): Promise<void> {
    const { accepted = 0, refused = 0 } = this.forwarder?.sent ?? {};
    this.forwarded.reset();
    this.forwarded.inc({ result: 'accepted' }, accepted);
    this.forwarded.inc({ result: 'refused' }, refused);
    const state = await this.forwarder?.state().catch(() => undefined);
    if (state === undefined) this.forwardsWaiting.remove();
    else this.forwardsWaiting.set(state.spans);
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
