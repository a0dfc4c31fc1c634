import type { TraceSort } from '@dacapo/protocol';
import type { Clock } from '../../../clock.js';
import type { MetaStore } from '../../meta/meta-store.js';
import type { MetricsAnswer, MetricsQuery } from '../../ports/metrics-query.js';
import type { ScoreFilter } from '../../ports/score.js';
import type {
  IngestBatch,
  IngestOutcome,
  Range,
  SessionList,
  SpanStoreCapabilities,
  TraceList,
  TracePosition,
} from '../../ports/span-store.js';
import type { TraceFilter } from '../../ports/trace-filter.js';
import { ConnectedSpanStore } from '../../spans/connected-span-store.js';
import type { ClickHouseConnection } from './connection.js';
import { DaySums } from './day-sums.js';
import { Ingest } from './ingest.js';
import { listSessions } from './list-sessions.js';
import { listTraces } from './list-traces.js';
import { readMetrics } from './metrics.js';
import * as reads from './reads.js';
import { ClickHouseTraceDeletions } from './trace-deletions.js';

const CUT_TEXTS =
  'SELECT count() AS n FROM span_records WHERE account_id = {accountId:String} AND is_cut = 1';

/**
 * Stores spans in one ClickHouse server, which any number of processes may share. Small facts that change are in `MetaStore`: batch ids,
 * deletions and scores.
 */
export class ClickHouseSpanStore extends ConnectedSpanStore<ClickHouseConnection> {
  readonly capabilities: SpanStoreCapabilities = {
    readsOwnWrites: true,
    atomicBatches: true,
    mergesLateRecords: true,
    hasOneProcess: false,
    erasesBytes: false,
  };

  readonly deletions: ClickHouseTraceDeletions;
  private readonly batches: Ingest;
  private readonly daySums: DaySums;

  constructor(
    connection: ClickHouseConnection,
    private readonly meta: MetaStore,
    clock: Readonly<Clock>,
  ) {
    super(connection, reads);
    this.deletions = new ClickHouseTraceDeletions(connection, meta);
    this.daySums = new DaySums(connection, clock);
    this.batches = new Ingest(connection, meta.arrivals, this.deletions, clock);
  }

  ingest(accountId: string, batch: IngestBatch): Promise<IngestOutcome> {
    return this.batches.store(accountId, batch);
  }

  async listTraces(
    accountId: string,
    filter: TraceFilter,
    range: Range<TracePosition>,
    sort: TraceSort = 'time',
  ): Promise<TraceList> {
    const list = await listTraces(this.reader, this.meta.scores, accountId, filter, range, sort);
    if (filter.span?.text === undefined || filter.withUnindexed === true) return list;
    const row = await this.reader.get<{ n: number }>(CUT_TEXTS, { accountId });
    return { ...list, ...(row !== undefined && row.n > 0 && { cutTexts: row.n }) };
  }

  listSessions(accountId: string, filter: { score?: ScoreFilter }, range: Range): Promise<SessionList> {
    return listSessions(this.reader, this.meta.scores, accountId, filter, range);
  }

  async readMetrics(accountId: string, query: MetricsQuery): Promise<MetricsAnswer> {
    const rows = await readMetrics(this.reader, this.daySums, accountId, query);
    return { rows: rows ?? [], waitingBatches: 0, ...(rows === undefined && { isTooMuch: true }) };
  }

  deleteAccount(accountId: string): Promise<void> {
    return this.deletions.deleteAccount(accountId);
  }
}
