import {
  type FacetValues,
  factsOfPatch,
  factsOfSpan,
  type FirstCall,
  LIMITS,
  type TraceFunctionKeySummary,
  type TraceRecord,
  type TraceSort,
} from '@dacapo/protocol';
import type { FacetQuery } from '../../src/storage/facets.js';
import type { ScoreFilter, ScoreKey, ScoreQuery } from '../../src/storage/score-log.js';
import { type Clock, SystemClock } from '../../src/clock.js';
import {
  type CallTraceFilter,
  type FoundTrace,
  type ClassedCall,
  type FirstSpanQuery,
  type IngestBatch,
  type IngestOutcome,
  type KnownTrace,
  type ListedTrace,
  type Range,
  type ScoreList,
  type SessionList,
  type SpanNode,
  type SpanPosition,
  type SpanRef,
  SpanStore,
  type SpanStoreCapabilities,
  type TraceList,
  type TracePosition,
} from '../../src/storage/span-store.js';
import type { StoredSpan } from '../../src/storage/span-usage.js';
import type { SpanFilter, TraceFilter } from '../../src/storage/trace-filter.js';
import { isListed } from './is-listed.js';
import { callTracesOf, classedCallsOf, matchingCallsOf, nodesOf } from './oracle-calls.js';
import { readOrigin } from '../../src/storage/preview.js';
import type { MetricsAnswer, MetricsQuery } from '../../src/storage/metrics/metrics-query.js';
import { facetValuesOf } from './oracle-facets.js';
import { metricsOf } from './oracle-metrics.js';
import { OracleBatchIds } from './oracle-batch-ids.js';
import { OracleScores } from './oracle-scores.js';
import { type Account, OracleTraceDeletions } from './oracle-trace-deletions.js';
import { newestFirst } from './newest-first.js';
import {
  type Arrived,
  firstOfEach,
  keySummariesOf,
  normalized,
  previewsOf,
  rootOf,
  sessionsOf,
  spanSummaryOf,
  summaryOf,
  type View,
  viewsOf,
} from './trace-view.js';

export interface OracleOptions {
  clock?: Readonly<Clock>;
  /** How long an acknowledged span or trace stays unseen; 0 by default. */
  visibleAfterMs?: number;
  /** How long a span's payload stays unseen; `visibleAfterMs` by default. */
  payloadVisibleAfterMs?: number;
  /** Lists keep showing the first record of a span or trace, as a store that never changes a row. */
  writeOnce?: boolean;
}

/** Looks at every record for each read, so that its answers are easy to trust: other stores must answer the same. */
export class OracleSpanStore extends SpanStore {
  readonly capabilities: SpanStoreCapabilities;
  private readonly accounts = new Map<string, Account>();
  readonly deletions = new OracleTraceDeletions(this.accounts);

  private readonly clock: Readonly<Clock>;
  private readonly visibility: Required<Omit<OracleOptions, 'clock'>>;

  constructor({ clock = new SystemClock(), ...options }: OracleOptions = {}) {
    super();
    this.clock = clock;
    const { visibleAfterMs = 0, payloadVisibleAfterMs = visibleAfterMs, writeOnce = false } = options;
    this.visibility = { visibleAfterMs, payloadVisibleAfterMs, writeOnce };
    this.capabilities = {
      readsOwnWrites: visibleAfterMs === 0 && payloadVisibleAfterMs === 0,
      atomicBatches: visibleAfterMs === payloadVisibleAfterMs,
      mergesLateRecords: !writeOnce,
    };
  }

  ingest(accountId: string, batch: IngestBatch): Promise<IngestOutcome> {
    const { batchId, costs, receivedAt } = batch;
    const account = this.accounts.get(accountId) ?? {
      records: [],
      batchIds: new OracleBatchIds(),
      scores: new OracleScores(),
    };
    this.accounts.set(accountId, account);
    if (account.batchIds.isKnown(batchId, receivedAt)) {
      return Promise.resolve({ duplicate: true, dropped: 0 });
    }
    const { spans, traces, scores, dropped } = this.deletions.withoutLate(accountId, batch);
    const stamp = { receivedAt, arrivedUs: this.clock.nowUs() };
    for (const span of spans) {
      const said = { traceId: span.trace_id, facts: factsOfSpan(span) };
      account.records.push({ ...stamp, ...said, span: normalized(span, costs?.get(span)) });
    }
    for (const patch of traces) {
      account.records.push({ ...stamp, traceId: patch.id, facts: factsOfPatch(patch, receivedAt) });
    }
    account.scores.add(scores, stamp.arrivedUs);
    return Promise.resolve({ duplicate: false, dropped });
  }

  listTraces(
    accountId: string,
    filter: TraceFilter,
    range: Range<TracePosition>,
    sort: TraceSort = 'time',
  ): Promise<TraceList> {
    const { traceFunctionKey: key, score } = filter;
    const scored = score && new Set(this.scored(accountId, 'trace', score).map(({ targetId }) => targetId));
    const rows = this.listedViews(accountId).flatMap((view): ListedTrace[] => {
      const trace = summaryOf(view);
      const calls = view.spans.filter((span) => key === undefined || span.trace_function_key === key);
      const at = (key === undefined ? undefined : calls[0]?.started_at) ?? trace.started_at;
      if (!isListed(filter, { trace, calls, at, metadata: view.record.metadata ?? {} })) return [];
      if (scored?.has(trace.id) === false) return [];
      const rootSpanId = rootOf(view)?.id;
      const position = [sort === 'time' ? at : (trace[sort] ?? -1), trace.id] as const;
      return [{ trace, ...(rootSpanId && { rootSpanId }), position }];
    });
    return Promise.resolve({ traces: newestFirst(rows, range, ({ position }) => position) });
  }

  textsWaitSince(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  findFirstSpans(
    accountId: string,
    queries: FirstSpanQuery[],
  ): Promise<(FirstCall & { trace_id: string })[]> {
    const views = new Map(this.listedViews(accountId).map((view) => [view.id, view]));
    return Promise.resolve(
      queries.flatMap((query) => {
        const first = views
          .get(query.traceId)
          ?.spans.find(
            (span) =>
              span.parent_id === (query.parentId ?? span.parent_id) &&
              span.trace_function_key === (query.traceFunctionKey ?? span.trace_function_key) &&
              span.status === (query.status ?? span.status),
          );
        return first ? [{ trace_id: query.traceId, name: first.name, ...previewsOf(first) }] : [];
      }),
    );
  }

  findTrace(
    accountId: string,
    traceId: string,
    { limit, after }: Range<SpanPosition> = { limit: LIMITS.spansOfTrace },
  ): Promise<FoundTrace | undefined> {
    const [view] = this.views(accountId, [traceId]);
    if (!view) return Promise.resolve(undefined);
    const { metadata = {}, contexts = {} } = view.record;
    const begin = after === undefined ? 0 : after[1] + 1;
    const page = view.spans.slice(begin, begin + limit).map(spanSummaryOf);
    const last = page.at(-1);
    const { started_by: startedBy, links } = rootOf(view)?.span_data.meta ?? {};
    return Promise.resolve({
      ...summaryOf(view),
      ...readOrigin(startedBy, links),
      metadata,
      contexts,
      spans: page,
      ...(last !== undefined &&
        begin + limit < view.spans.length && { next: [last.started_at, begin + limit - 1] as const }),
    });
  }

  readTraces(accountId: string, traceIds: string[]): Promise<TraceRecord[]> {
    return Promise.resolve(this.views(accountId, traceIds).map(({ record }) => record));
  }

  readFacts(accountId: string, traceIds: string[]): Promise<KnownTrace[]> {
    return Promise.resolve(this.views(accountId, traceIds).map(({ id, facts }) => ({ id, facts })));
  }

  listNodes(accountId: string, traceIds: string[]): Promise<SpanNode[]> {
    return Promise.resolve(nodesOf(this.views(accountId, traceIds)));
  }

  listClassedCalls(accountId: string, traceIds: string[], traceFunctionKey: string): Promise<ClassedCall[]> {
    return Promise.resolve(classedCallsOf(this.views(accountId, traceIds), traceFunctionKey));
  }

  matchCalls(
    accountId: string,
    traceIds: readonly string[],
    traceFunctionKey: string,
    span: Omit<SpanFilter, 'text'>,
  ): Promise<SpanRef[]> {
    return Promise.resolve(matchingCallsOf(this.views(accountId, [...traceIds]), traceFunctionKey, span));
  }

  readSpans(accountId: string, refs: readonly SpanRef[]): Promise<StoredSpan[]> {
    const traceIds = [...new Set(refs.map(({ trace_id }) => trace_id))];
    const wanted = new Set(refs.map(({ trace_id, span_id }) => `${trace_id}/${span_id}`));
    const seen = this.recordsSeen(accountId, this.visibility.payloadVisibleAfterMs);
    const spans = viewsOf(seen, new Set(traceIds)).flatMap((view) => view.spans);
    return Promise.resolve(spans.filter(({ trace_id, id }) => wanted.has(`${trace_id}/${id}`)));
  }

  listCallTraces(
    accountId: string,
    filter: CallTraceFilter,
    range: Range,
  ): Promise<{ trace_id: string; started_at: string }[]> {
    const rows = callTracesOf(this.views(accountId), filter).filter(({ isRecorded }) => isRecorded);
    return Promise.resolve(
      newestFirst(rows, range, ({ started_at, trace_id }) => [started_at, trace_id]).map(
        ({ started_at, trace_id }) => ({ started_at, trace_id }),
      ),
    );
  }

  countCallTraces(accountId: string, filter: CallTraceFilter): Promise<{ listed: number; others: number }> {
    const traces = callTracesOf(this.views(accountId), filter);
    const listed = traces.filter(({ isRecorded }) => isRecorded).length;
    return Promise.resolve({ listed, others: traces.length - listed });
  }

  listTraceFunctionKeys(accountId: string): Promise<TraceFunctionKeySummary[]> {
    const keys = keySummariesOf(this.views(accountId));
    return Promise.resolve(newestFirst(keys, { limit: keys.length }, (key) => [key.last_started_at, '']));
  }

  listFacetValues(accountId: string, query: FacetQuery, limit: number): Promise<FacetValues> {
    const names = this.accounts.get(accountId)?.scores.namesOf('trace', this.scoresSeenUntilUs()) ?? [];
    return Promise.resolve(facetValuesOf({ views: this.listedViews(accountId), names }, query, limit));
  }

  listSessions(accountId: string, { score }: { score?: ScoreFilter }, range: Range): Promise<SessionList> {
    const scored = score && new Set(this.scored(accountId, 'session', score).map(({ targetId }) => targetId));
    const sessions = sessionsOf(this.listedViews(accountId)).filter(
      ({ session_id }) => scored?.has(session_id) !== false,
    );
    return Promise.resolve({
      sessions: newestFirst(sessions, range, (row) => [row.last_started_at, row.session_id]),
    });
  }

  readMetrics(accountId: string, query: MetricsQuery): Promise<MetricsAnswer> {
    return Promise.resolve({ rows: metricsOf(this.views(accountId), query), waitingBatches: 0 });
  }

  listScores(accountId: string, query: ScoreQuery, range: Range): Promise<ScoreList> {
    const scores = this.accounts.get(accountId)?.scores.list(query, range, this.scoresSeenUntilUs());
    return Promise.resolve({ scores: scores ?? [] });
  }

  listScoredItems(
    accountId: string,
    testRunId: string,
    filter: ScoreFilter,
  ): Promise<[itemNo: number, repetition: number][]> {
    const scored = this.scored(accountId, 'item', filter).filter(({ targetId }) => targetId === testRunId);
    return Promise.resolve(scored.map(({ part }) => part.split('/').map(Number) as [number, number]));
  }

  deleteAccount(accountId: string): Promise<void> {
    this.accounts.delete(accountId);
    this.deletions.deleteAccount(accountId);
    return Promise.resolve();
  }

  private scored(accountId: string, target: ScoreKey['target'], filter: ScoreFilter): ScoreKey[] {
    return this.accounts.get(accountId)?.scores.scored(target, filter, this.scoresSeenUntilUs()) ?? [];
  }

  private scoresSeenUntilUs(): number {
    return this.clock.nowUs() - this.visibility.visibleAfterMs * 1000;
  }

  private views(accountId: string, traceIds?: string[]): View[] {
    const seen = this.recordsSeen(accountId, this.visibility.visibleAfterMs);
    return viewsOf(seen, traceIds && new Set(traceIds));
  }

  /** What lists show: where nothing is written twice, of each span and of each trace's patches the first. */
  private listedViews(accountId: string): View[] {
    const { visibleAfterMs, writeOnce } = this.visibility;
    const seen = this.recordsSeen(accountId, visibleAfterMs);
    return viewsOf(writeOnce ? firstOfEach(seen) : seen);
  }

  private recordsSeen(accountId: string, afterMs: number): Arrived[] {
    const { records = [] } = this.accounts.get(accountId) ?? {};
    const nowUs = this.clock.nowUs();
    return records.filter(({ arrivedUs }) => arrivedUs + afterMs * 1000 <= nowUs);
  }
}
