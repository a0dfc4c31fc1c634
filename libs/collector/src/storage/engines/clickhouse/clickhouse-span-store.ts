import type {
  FacetValues,
  FirstCall,
  RunCandidate,
  TraceFunctionKeySummary,
  TraceRecord,
  TraceSort,
} from '@dacapo/protocol';
import type { Clock } from '../../../clock.js';
import type { MetaStore } from '../../meta/meta-store.js';
import type { SpanFacetQuery } from '../../ports/facets.js';
import type { MetricsAnswer, MetricsQuery } from '../../ports/metrics-query.js';
import type { ScoreFilter } from '../../ports/score.js';
import {
  type CallTraceFilter,
  type ClassedCall,
  type FirstSpanQuery,
  type FoundTrace,
  type IngestBatch,
  type IngestOutcome,
  type KnownTrace,
  type Range,
  type SessionList,
  type SpanNode,
  type SpanPosition,
  type SpanRef,
  SpanStore,
  type SpanStoreCapabilities,
  type TraceList,
  type TracePosition,
} from '../../ports/span-store.js';
import type { SpanFilter, TraceFilter } from '../../ports/trace-filter.js';
import type { StoredSpan } from '../../rules/span-usage.js';
import type { ClickHouseConnection } from './connection.js';
import { Ingest } from './ingest.js';
import { countCallTraces, listCallTraces, listTraceFunctionKeys } from './list-call-traces.js';
import { listFacetValues } from './list-facet-values.js';
import { listSessions, readRunCandidate } from './list-sessions.js';
import { listTraces } from './list-traces.js';
import { readMetrics } from './metrics.js';
import { findFirstSpans, listClassedCalls, listNodes, matchCalls, readSpans } from './read-spans.js';
import { findTrace, readFacts, readTraces } from './read-traces.js';
import { ClickHouseTraceDeletions } from './trace-deletions.js';

const CUT_TEXTS =
  'SELECT count() AS n FROM span_records WHERE account_id = {accountId:String} AND is_cut = 1';

/**
 * Spans in one ClickHouse server, which any number of processes may share. Small facts that change are in `MetaStore`: batch ids, deletions
 * and scores.
 */
export class ClickHouseSpanStore extends SpanStore {
  readonly capabilities: SpanStoreCapabilities = {
    readsOwnWrites: true,
    atomicBatches: true,
    mergesLateRecords: true,
    hasOneProcess: false,
    erasesBytes: false,
  };

  readonly deletions: ClickHouseTraceDeletions;
  private readonly batches: Ingest;

  constructor(
    private readonly connection: ClickHouseConnection,
    private readonly meta: MetaStore,
    clock: Readonly<Clock>,
  ) {
    super();
    this.deletions = new ClickHouseTraceDeletions(connection, meta);
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
    const list = await listTraces(this.connection, this.meta.scores, accountId, filter, range, sort);
    if (filter.span?.text === undefined || filter.withUnindexed === true) return list;
    const row = await this.connection.get<{ n: number }>(CUT_TEXTS, { accountId });
    return { ...list, ...(row !== undefined && row.n > 0 && { cutTexts: row.n }) };
  }

  /** Words are stored with their spans. */
  textsWaitSince(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  findFirstSpans(
    accountId: string,
    queries: FirstSpanQuery[],
  ): Promise<(FirstCall & { trace_id: string })[]> {
    return findFirstSpans(this.connection, accountId, queries);
  }

  findTrace(
    accountId: string,
    traceId: string,
    range?: Range<SpanPosition>,
  ): Promise<FoundTrace | undefined> {
    return findTrace(this.connection, accountId, traceId, range);
  }

  readTraces(accountId: string, traceIds: string[]): Promise<TraceRecord[]> {
    return readTraces(this.connection, accountId, traceIds);
  }

  readFacts(accountId: string, traceIds: string[]): Promise<KnownTrace[]> {
    return readFacts(this.connection, accountId, traceIds);
  }

  listNodes(accountId: string, traceIds: string[]): Promise<SpanNode[]> {
    return listNodes(this.connection, accountId, traceIds);
  }

  listClassedCalls(accountId: string, traceIds: string[], traceFunctionKey: string): Promise<ClassedCall[]> {
    return listClassedCalls(this.connection, accountId, traceIds, traceFunctionKey);
  }

  matchCalls(
    accountId: string,
    traceIds: readonly string[],
    traceFunctionKey: string,
    fields: Omit<SpanFilter, 'text'>,
  ): Promise<SpanRef[]> {
    return matchCalls(this.connection, accountId, traceIds, traceFunctionKey, fields);
  }

  readSpans(accountId: string, spans: readonly SpanRef[]): Promise<StoredSpan[]> {
    return readSpans(this.connection, accountId, spans);
  }

  listCallTraces(
    accountId: string,
    filter: CallTraceFilter,
    range: Range,
  ): Promise<{ trace_id: string; started_at: string }[]> {
    return listCallTraces(this.connection, accountId, filter, range);
  }

  countCallTraces(accountId: string, filter: CallTraceFilter): Promise<{ listed: number; others: number }> {
    return countCallTraces(this.connection, accountId, filter);
  }

  listTraceFunctionKeys(accountId: string): Promise<TraceFunctionKeySummary[]> {
    return listTraceFunctionKeys(this.connection, accountId);
  }

  listFacetValues(accountId: string, query: SpanFacetQuery, limit: number): Promise<FacetValues> {
    return listFacetValues(this.connection, accountId, query, limit);
  }

  listSessions(accountId: string, filter: { score?: ScoreFilter }, range: Range): Promise<SessionList> {
    return listSessions(this.connection, this.meta.scores, accountId, filter, range);
  }

  readRunCandidate(accountId: string, testRunId: string): Promise<RunCandidate> {
    return readRunCandidate(this.connection, accountId, testRunId);
  }

  async readMetrics(accountId: string, query: MetricsQuery): Promise<MetricsAnswer> {
    const rows = await readMetrics(this.connection, accountId, query);
    return { rows: rows ?? [], waitingBatches: 0, ...(rows === undefined && { isTooMuch: true }) };
  }

  deleteAccount(accountId: string): Promise<void> {
    return this.deletions.deleteAccount(accountId);
  }
}
