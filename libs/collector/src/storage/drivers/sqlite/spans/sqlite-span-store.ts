import {
  type FacetValues,
  type FirstCall,
  formatTimestamp,
  parseTimestamp,
  type TraceDetail,
  type TraceFunctionKeySummary,
  type TraceRecord,
  type TraceSort,
} from '@dacapo/protocol';
import type { FacetQuery } from '../../../facets.js';
import type { ScoreFilter, ScoreQuery } from '../../../score-log.js';
import {
  BATCH_IDS_KEPT_US,
  type CallTraceFilter,
  type ClassedCall,
  type FirstSpanQuery,
  type IngestBatch,
  type IngestOutcome,
  type KnownTrace,
  type Range,
  type ScoreList,
  type SessionList,
  type SpanNode,
  type SpanRef,
  SpanStore,
  type SpanStoreCapabilities,
  type TraceList,
  type TracePosition,
} from '../../../span-store.js';
import type { StoredSpan } from '../../../span-usage.js';
import type { SpanFilter, TraceFilter } from '../../../trace-filter.js';
import type { Connection, Reader, Step, StepOutcome } from '../connection.js';
import type { MetricsAnswer, MetricsQuery } from '../../../metrics/metrics-query.js';
import type { MetricsRollup } from '../metrics/metrics-rollup.js';
import { readMetrics } from '../metrics/read-metrics.js';
import { SqliteTraceDeletions } from './delete-traces.js';
import { encodePayloads, ingestSteps } from './ingest-steps.js';
import { LateRecords } from './late-records.js';
import { CLASSED_CALLS, listNodes, MATCHING_CALLS } from './list-nodes.js';
import { findFirstSpans } from './first-spans.js';
import { countCallTraces, listCallTraces } from './list-call-traces.js';
import { listScores } from './list-scores.js';
import { listFacetValues } from './list-facet-values.js';
import { listSessions } from './list-sessions.js';
import { type ListBounds, listTraces } from './list-traces.js';
import { readSpans } from './read-spans.js';
import { findTrace, readFacts, readTraces } from './read-traces.js';
import { scoredBy } from './scores.js';
import type { TextIndex } from './text-index.js';

/** Spans deleted in one write, so that ingests of other accounts wait for a short time only. */
const SPANS_IN_A_DELETE = 500;

const TABLES = [
  'scores',
  'traces',
  'sessions',
  'trace_attributes',
  'trace_calls',
  'trace_facets',
  'trace_function_keys',
  'ingest_batches',
  'deleted_traces',
  'deleted_groups',
  'trace_metrics',
  'metrics',
  // The last: deleted traces are noted here.
  'changed_traces',
];

const FORGET_EVERY_US = 10e6;
const BATCH_IDS_IN_A_DELETE = 20_000;
const FORGET_BATCHES = `DELETE FROM ingest_batches WHERE (account_id, batch_id) IN
  (SELECT account_id, batch_id FROM ingest_batches WHERE received_us < ? LIMIT ?)`;

export class SqliteSpanStore extends SpanStore {
  readonly capabilities: SpanStoreCapabilities = {
    readsOwnWrites: true,
    atomicBatches: true,
    mergesLateRecords: true,
  };

  readonly deletions: SqliteTraceDeletions;
  private readonly late: LateRecords;
  private forgotUs = 0;

  constructor(
    private readonly writer: Connection,
    private readonly reader: Reader,
    private readonly rollup: MetricsRollup,
    private readonly texts: TextIndex,
    private readonly listBounds?: ListBounds,
  ) {
    super();
    this.late = new LateRecords(writer);
    this.deletions = new SqliteTraceDeletions(writer, reader, this.late, rollup, texts);
    rollup.wake();
    texts.wake();
  }

  async ingest(accountId: string, batch: IngestBatch): Promise<IngestOutcome> {
    const payloads = await encodePayloads(batch);
    const { steps, kept, droppedOf } = await this.late.sort(accountId, batch);
    steps.push(...ingestSteps(accountId, kept, payloads), ...this.forgetBatches(batch.receivedAt));
    return this.store(steps, droppedOf);
  }

  /** Waits with nothing of the batch in its hands: while several wait, each would be copied by the garbage collector again and again. */
  private store(
    steps: Step[],
    droppedOf: (outcomes: readonly StepOutcome[]) => number,
  ): Promise<IngestOutcome> {
    const { length } = steps;
    return this.texts.during(this.writer.write(steps)).then((outcomes) => {
      this.rollup.wake();
      const duplicate = outcomes.length < length;
      return { duplicate, dropped: duplicate ? 0 : droppedOf(outcomes) };
    });
  }

  /** Now and then, a few at a time, along with what is written anyway. */
  private forgetBatches(receivedAt: string): Step[] {
    const nowUs = parseTimestamp(receivedAt) ?? 0;
    if (Math.abs(nowUs - this.forgotUs) < FORGET_EVERY_US) return [];
    this.forgotUs = nowUs;
    return [{ sql: FORGET_BATCHES, rows: [[nowUs - BATCH_IDS_KEPT_US, BATCH_IDS_IN_A_DELETE]] }];
  }

  async listTraces(
    accountId: string,
    filter: TraceFilter,
    range: Range<TracePosition>,
    sort: TraceSort = 'time',
  ): Promise<TraceList> {
    const isBehindTold = filter.span?.text !== undefined && filter.withUnindexed !== true;
    const waitingSince = isBehindTold ? await this.texts.catchUp(this.reader) : undefined;
    const list = await listTraces(this.reader, accountId, filter, range, sort, this.listBounds);
    return { ...list, ...(waitingSince !== undefined && { textIndexedUntil: waitingSince }) };
  }

  textsWaitSince(): Promise<string | undefined> {
    return this.texts.waitingSince(this.reader);
  }

  findFirstSpans(
    accountId: string,
    queries: FirstSpanQuery[],
  ): Promise<(FirstCall & { trace_id: string })[]> {
    return findFirstSpans(this.reader, accountId, queries);
  }

  findTrace(accountId: string, traceId: string): Promise<TraceDetail | undefined> {
    return findTrace(this.reader, accountId, traceId);
  }

  readTraces(accountId: string, traceIds: string[]): Promise<TraceRecord[]> {
    return readTraces(this.reader, accountId, traceIds);
  }

  readFacts(accountId: string, traceIds: string[]): Promise<KnownTrace[]> {
    return readFacts(this.reader, accountId, traceIds);
  }

  listNodes(accountId: string, traceIds: string[], lineageOf?: string): Promise<SpanNode[]> {
    return listNodes(this.reader, accountId, traceIds, lineageOf);
  }

  listClassedCalls(accountId: string, traceIds: string[], traceFunctionKey: string): Promise<ClassedCall[]> {
    return this.reader.all<ClassedCall>(CLASSED_CALLS, [
      accountId,
      JSON.stringify(traceIds),
      traceFunctionKey,
    ]);
  }

  matchCalls(
    accountId: string,
    traceIds: readonly string[],
    traceFunctionKey: string,
    { name, type, kind, level, model }: Omit<SpanFilter, 'text'>,
  ): Promise<SpanRef[]> {
    return this.reader.all<SpanRef & object>(MATCHING_CALLS, [
      ...[accountId, JSON.stringify(traceIds), traceFunctionKey],
      ...[name, type, kind, level, model],
    ]);
  }

  readSpans(accountId: string, spans: readonly SpanRef[]): Promise<StoredSpan[]> {
    return readSpans(this.reader, accountId, spans);
  }

  listCallTraces(
    accountId: string,
    filter: CallTraceFilter,
    range: Range,
  ): Promise<{ trace_id: string; started_at: string }[]> {
    return listCallTraces(this.reader, accountId, filter, range, this.listBounds);
  }

  countCallTraces(accountId: string, filter: CallTraceFilter): Promise<{ listed: number; others: number }> {
    return countCallTraces(this.reader, accountId, filter, this.listBounds);
  }

  async listTraceFunctionKeys(accountId: string): Promise<TraceFunctionKeySummary[]> {
    const rows = await this.reader.all<{
      trace_function_key: string;
      span_count: number;
      last_started_us: number;
    }>(
      `SELECT trace_function_key, span_count, last_started_us FROM trace_function_keys
        WHERE account_id = ? ORDER BY last_started_us DESC, trace_function_key`,
      [accountId],
    );
    return rows.map(({ last_started_us, ...row }) => ({
      ...row,
      last_started_at: formatTimestamp(last_started_us),
    }));
  }

  listFacetValues(accountId: string, query: FacetQuery, limit: number): Promise<FacetValues> {
    return listFacetValues(this.reader, accountId, query, limit);
  }

  listSessions(accountId: string, filter: { score?: ScoreFilter }, range: Range): Promise<SessionList> {
    return listSessions(this.reader, accountId, filter, range, this.listBounds);
  }

  async readMetrics(accountId: string, query: MetricsQuery): Promise<MetricsAnswer> {
    await this.rollup.catchUp(accountId);
    const rows = await readMetrics(this.reader, accountId, query);
    return { rows, waitingBatches: await this.rollup.countWaiting(accountId) };
  }

  listScores(accountId: string, query: ScoreQuery, range: Range): Promise<ScoreList> {
    return listScores(this.reader, accountId, query, range, this.listBounds);
  }

  async listScoredItems(
    accountId: string,
    testRunId: string,
    filter: ScoreFilter,
  ): Promise<[itemNo: number, repetition: number][]> {
    const [scored, ...parameters] = scoredBy('part', accountId, 'item', filter);
    const rows = await this.reader.all<{ part: string }>(`${scored} AND target_id = ?`, [
      ...parameters,
      testRunId,
    ]);
    return rows.map(({ part }) => part.split('/').map(Number) as [number, number]);
  }

  async deleteAccount(accountId: string): Promise<void> {
    let deleted: number | undefined;
    do {
      const [outcome] = await this.writer.write([
        {
          sql: 'DELETE FROM spans WHERE span_no IN (SELECT span_no FROM spans WHERE account_id = ? LIMIT ?)',
          rows: [[accountId, SPANS_IN_A_DELETE]],
        },
      ]);
      deleted = outcome?.changes;
    } while (deleted === SPANS_IN_A_DELETE);
    await this.writer.write(
      TABLES.map((table) => ({ sql: `DELETE FROM ${table} WHERE account_id = ?`, rows: [[accountId]] })),
    );
  }
}
