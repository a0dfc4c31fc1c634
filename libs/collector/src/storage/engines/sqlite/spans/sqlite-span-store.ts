import {
  type FacetValues,
  type RunCandidate,
  type SpanRecord,
  type TraceFunctionKeySummary,
  type TraceRecord,
  type TraceSort,
} from '@dacapo/protocol';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SpanFacetQuery } from '../../../ports/facets.js';
import type { ScoreFilter } from '../../../ports/score.js';
import {
  type CallTraceFilter,
  type ClassedCall,
  type IngestBatch,
  type IngestOutcome,
  type KnownTrace,
  type MatchingSpan,
  type Range,
  type SessionList,
  type FoundTrace,
  type SpanCondition,
  type SpanNode,
  type SpanPosition,
  type SpanRef,
  SpanStore,
  type SpanStoreCapabilities,
  type TraceList,
  type TracePosition,
} from '../../../ports/span-store.js';
import type { StoredSpan } from '../../../rules/span-usage.js';
import { Lanes } from '../../../../memory/lanes.js';
import { MAIN_THREAD } from '../../../../memory/turns.js';
import { SPAN_FIELDS, type SpanFilter, type TraceFilter } from '../../../ports/trace-filter.js';
import type { CallStep, Connection, Step, StepResult } from '../connection.js';
import type { MetricsAnswer, MetricsQuery } from '../../../ports/metrics-query.js';
import type { FileScrubber } from '../file-scrubber.js';
import type { PacedDeletes } from '../paced-deletes.js';
import type { ReaderPool } from '../reader-pool.js';
import type { Reserve } from '../reserve.js';
import type { MetricsRollup } from '../metrics/metrics-rollup.js';
import { ReadingTransaction } from '../reading-transaction.js';
import { readGroupedMetrics } from '../../../spans/read-grouped-metrics.js';
import { readMetrics } from '../../../spans/read-metrics.js';
import { OldBatchIds } from '../../../spans/old-batch-ids.js';
import { metricConditions } from './metric-conditions.js';
import { readRunCandidate } from '../../../spans/read-run-candidate.js';
import { SqliteTraceDeletions } from './delete-traces.js';
import { encodePayloads, ingestSteps, splitBatch, type StoredPayload } from './ingest-steps.js';
import { LateRecords } from './late-records.js';
import { CLASSED_CALLS, listNodes, MATCHING_CALLS } from './list-nodes.js';
import { findMatchingSpans } from './matching-spans.js';
import { countCallTraces, listCallTraces } from './list-call-traces.js';
import { listFacetValues } from './list-facet-values.js';
import { listSessions } from './list-sessions.js';
import { listTraceFunctionKeys } from './list-trace-function-keys.js';
import { type ListBounds, listTraces } from './list-traces.js';
import { readSpans } from './read-spans.js';
import { findTrace, readFacts, readTraces } from './read-traces.js';
import type { TextIndex } from './text-index.js';

const TABLES = [
  'spans',
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
  'changed_traces',
  'text_queue',
];

const NOTED_BATCH = 'SELECT 1 FROM ingest_batches WHERE account_id = ? AND batch_id = ?';

/** The pause after a piece of a large batch, in multiples of the time that the piece took. */
const REST = 1;
const LONGEST_REST_MS = 100;

const BATCH_IDS_IN_A_DELETE = 20_000;
const FORGET_BATCHES = `DELETE FROM ingest_batches WHERE (account_id, batch_id) IN
  (SELECT account_id, batch_id FROM ingest_batches WHERE received_us < ? LIMIT ?)`;

export class SqliteSpanStore extends SpanStore {
  readonly capabilities: SpanStoreCapabilities = {
    readsOwnWrites: true,
    // A batch may be stored in pieces, but a span and its payload are always in the same piece.
    atomicBatches: true,
    mergesLateRecords: true,
    hasOneProcess: true,
    erasesBytes: true,
  };

  readonly deletions: SqliteTraceDeletions;
  private readonly late: LateRecords;
  private readonly lanes = new Lanes();
  private readonly oldBatchIds = new OldBatchIds();

  constructor(
    private readonly writer: Connection,
    private readonly reader: ReaderPool,
    private readonly rollup: MetricsRollup,
    private readonly texts: TextIndex,
    private readonly deletes: PacedDeletes,
    file: Pick<FileScrubber, 'scrub'>,
    private readonly reserve: Pick<Reserve, 'refuseWhileUsed'>,
    private readonly listBounds?: ListBounds,
  ) {
    super();
    this.late = new LateRecords(writer);
    this.deletions = new SqliteTraceDeletions(writer, reader, this.late, rollup, texts, deletes, file);
    rollup.wake();
    texts.wake();
  }

  ingest(accountId: string, batch: IngestBatch): Promise<IngestOutcome> {
    return this.texts.during(this.put(accountId, batch));
  }

  private async put(accountId: string, batch: IngestBatch): Promise<IngestOutcome> {
    this.reserve.refuseWhileUsed();
    const payloads = await encodePayloads(batch, MAIN_THREAD.of(accountId));
    const { steps, kept, countDropped } = await this.late.sort(accountId, batch);
    steps.push(...this.forgetBatches(batch.receivedAt));
    const pieces = this.writer.isShared(accountId) ? splitBatch(kept, payloads) : [kept];
    if (pieces.length > 1) {
      return this.lanes.run(accountId, () =>
        this.storePieces(accountId, pieces, payloads, steps, countDropped),
      );
    }
    const stored = ingestSteps(accountId, kept, payloads);
    return this.store(accountId, [...steps, ...stored.steps], stored.transfer, countDropped);
  }

  /** Stores one piece after another and pauses after each, so that writes of other accounts come between them. */
  private async storePieces(
    accountId: string,
    pieces: readonly IngestBatch[],
    payloads: ReadonlyMap<SpanRecord, StoredPayload>,
    firstSteps: readonly (Step | CallStep)[],
    countDropped: (outcomes: readonly StepResult[]) => number,
  ): Promise<IngestOutcome> {
    const batchId = pieces.at(-1)?.batchId;
    if (batchId !== undefined) {
      const noted = await this.reader.of(accountId).all(NOTED_BATCH, [accountId, batchId]);
      if (noted.length > 0) return { duplicate: true, dropped: 0 };
    }
    let dropped = 0;
    for (const [index, piece] of pieces.entries()) {
      const stored = ingestSteps(accountId, piece, payloads);
      const steps = [...(index === 0 ? firstSteps : []), ...stored.steps];
      const begun = performance.now();
      const result = await this.store(
        accountId,
        steps,
        stored.transfer,
        index === 0 ? countDropped : () => 0,
      );
      if (result.duplicate) return result;
      dropped += result.dropped;
      await sleep(Math.min((performance.now() - begun) * REST, LONGEST_REST_MS));
    }
    return { duplicate: false, dropped };
  }

  /** Keeps no reference to the batch while it waits: the garbage collector would copy each waiting batch repeatedly. */
  private store(
    accountId: string,
    steps: (Step | CallStep)[],
    transfer: readonly ArrayBuffer[],
    countDropped: (outcomes: readonly StepResult[]) => number,
  ): Promise<IngestOutcome> {
    const filled = steps.filter((step) => 'call' in step || step.rows.length > 0);
    const { length } = filled;
    return this.writer.write(filled, accountId, transfer).then((outcomes) => {
      this.rollup.wake();
      const duplicate = outcomes.length < length;
      return { duplicate, dropped: duplicate ? 0 : countDropped(outcomes) };
    });
  }

  /** Deletes a limited number of old batch ids. */
  private forgetBatches(receivedAt: string): Step[] {
    const old = this.oldBatchIds.due(receivedAt);
    return old === undefined ? [] : [{ sql: FORGET_BATCHES, rows: [[old.beforeUs, BATCH_IDS_IN_A_DELETE]] }];
  }

  async listTraces(
    accountId: string,
    filter: TraceFilter,
    range: Range<TracePosition>,
    sort: TraceSort = 'time',
  ): Promise<TraceList> {
    const reportsIndexLag = filter.span?.text !== undefined && filter.withUnindexed !== true;
    const waitingSince = reportsIndexLag
      ? await this.texts.catchUp(accountId, this.reader.of(accountId))
      : undefined;
    const list = await listTraces(this.reader.of(accountId), accountId, filter, range, sort, this.listBounds);
    const cut = reportsIndexLag ? await this.texts.countCut(this.reader.of(accountId), accountId) : 0;
    return {
      ...list,
      ...(waitingSince !== undefined && { textIndexedUntil: waitingSince }),
      ...(cut > 0 && { cutTexts: cut }),
    };
  }

  textsWaitSince(): Promise<string | undefined> {
    return this.texts.waitingSince();
  }

  findMatchingSpans(
    accountId: string,
    traceIds: readonly string[],
    condition: SpanCondition,
  ): Promise<MatchingSpan[]> {
    return findMatchingSpans(this.reader.of(accountId), accountId, traceIds, condition);
  }

  findTrace(
    accountId: string,
    traceId: string,
    range?: Range<SpanPosition>,
  ): Promise<FoundTrace | undefined> {
    return findTrace(this.reader.of(accountId), accountId, traceId, range);
  }

  readTraces(accountId: string, traceIds: string[]): Promise<TraceRecord[]> {
    return readTraces(this.reader.of(accountId), accountId, traceIds);
  }

  readFacts(accountId: string, traceIds: string[]): Promise<KnownTrace[]> {
    return readFacts(this.reader.of(accountId), accountId, traceIds);
  }

  listNodes(accountId: string, traceIds: string[], lineageKey?: string): Promise<SpanNode[]> {
    return listNodes(this.reader.of(accountId), accountId, traceIds, lineageKey);
  }

  listClassedCalls(accountId: string, traceIds: string[], traceFunctionKey: string): Promise<ClassedCall[]> {
    return this.reader
      .of(accountId)
      .all<ClassedCall>(CLASSED_CALLS, [accountId, JSON.stringify(traceIds), traceFunctionKey]);
  }

  matchCalls(
    accountId: string,
    traceIds: readonly string[],
    traceFunctionKey: string,
    fields: Omit<SpanFilter, 'text'>,
  ): Promise<SpanRef[]> {
    return this.reader
      .of(accountId)
      .all<SpanRef & object>(MATCHING_CALLS, [
        accountId,
        JSON.stringify(traceIds),
        traceFunctionKey,
        ...SPAN_FIELDS.map((name) => fields[name]),
      ]);
  }

  readSpans(accountId: string, spans: readonly SpanRef[]): Promise<StoredSpan[]> {
    return readSpans(this.reader.of(accountId), accountId, spans);
  }

  listCallTraces(
    accountId: string,
    filter: CallTraceFilter,
    range: Range,
  ): Promise<{ trace_id: string; started_at: string }[]> {
    return listCallTraces(this.reader.of(accountId), accountId, filter, range, this.listBounds);
  }

  countCallTraces(accountId: string, filter: CallTraceFilter): Promise<{ listed: number; others: number }> {
    return countCallTraces(this.reader.of(accountId), accountId, filter, this.listBounds);
  }

  listTraceFunctionKeys(accountId: string): Promise<TraceFunctionKeySummary[]> {
    return listTraceFunctionKeys(this.reader.of(accountId), accountId);
  }

  listFacetValues(accountId: string, query: SpanFacetQuery, limit: number): Promise<FacetValues> {
    return listFacetValues(this.reader.of(accountId), accountId, query, limit);
  }

  listSessions(accountId: string, filter: { score?: ScoreFilter }, range: Range): Promise<SessionList> {
    return listSessions(this.reader.of(accountId), accountId, filter, range, this.listBounds);
  }

  readRunCandidate(accountId: string, testRunId: string): Promise<RunCandidate> {
    return readRunCandidate(new ReadingTransaction(this.reader.of(accountId)), accountId, testRunId);
  }

  async readMetrics(accountId: string, query: MetricsQuery): Promise<MetricsAnswer> {
    await this.rollup.catchUp(accountId);
    const reader = new ReadingTransaction(this.reader.of(accountId));
    const { groupBy, where } = query;
    const rows = await (groupBy === undefined && where === undefined
      ? readMetrics(reader, accountId, query)
      : readGroupedMetrics(reader, accountId, query, metricConditions(accountId, where)));
    const waitingBatches = await this.rollup.countWaiting(accountId);
    return rows === undefined ? { rows: [], waitingBatches, isTooMuch: true } : { rows, waitingBatches };
  }

  /** Repeats until nothing is left, so that rows of concurrent batches and rollups are deleted, too. */
  async deleteAccount(accountId: string): Promise<void> {
    // Deleting traces queues them for metrics, which are deleted anyway.
    const forgetChanges = { sql: 'DELETE FROM changed_traces WHERE account_id = ?', rows: [[accountId]] };
    for (let deleted = 1; deleted > 0;) {
      deleted = 0;
      for (const table of TABLES) {
        const more = table === 'traces' ? [forgetChanges] : [];
        deleted += await this.deletes.all(table, 'account_id = ?', [accountId], more);
      }
    }
  }
}
