import { type Clock, SystemClock } from '@dacapo/collector';
import {
  type CallTraceFilter,
  type ClassedCall,
  type FoundTrace,
  scoreAmount,
  type IngestBatch,
  type IngestOutcome,
  type KnownTrace,
  type ListedTrace,
  MATCHES_OF_TRACE,
  type MatchingSpan,
  type MetaStore,
  type MetricsAnswer,
  type MetricsQuery,
  type Range,
  readOrigin,
  type ScoreFilter,
  type ScoreKey,
  toScoreKey,
  type SessionList,
  type SpanCondition,
  type SpanFacetQuery,
  type SpanFilter,
  type SpanNode,
  type SpanPosition,
  type SpanRef,
  SpanStore,
  type SpanStoreCapabilities,
  type StoredSpan,
  type TraceFilter,
  type TraceList,
  type TracePosition,
} from '@dacapo/collector/storage';
import {
  type FacetValues,
  isTimeSort,
  readPatchFacts,
  readSpanFacts,
  LIMITS,
  type RunCandidate,
  type TraceFunctionKeySummary,
  type TraceRecord,
  type TraceSort,
  withPrompt,
  type ScoreRecord,
} from '@dacapo/protocol';
import { isListed, isSpan } from './is-listed.js';
import { listCallTraces, listClassedCalls, listMatchingCalls, listNodes } from './oracle-calls.js';
import { listFacetValues } from './oracle-facets.js';
import { computeMetrics } from './oracle-metrics.js';
import { OracleBatchIds } from './oracle-batch-ids.js';
import { type Account, OracleTraceDeletions } from './oracle-trace-deletions.js';
import { newestFirst } from './newest-first.js';
import {
  type Arrived,
  firstOfEach,
  toKeySummaries,
  normalized,
  toPreviews,
  findViewRoot,
  toSessions,
  toSpanSummary,
  toSummary,
  type View,
  toViews,
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

  /** @param scores of the other store, by which lists are filtered */
  constructor(
    { clock = new SystemClock(), ...options }: OracleOptions = {},
    private readonly scores?: Pick<MetaStore['scores'], 'list'>,
  ) {
    super();
    this.clock = clock;
    const { visibleAfterMs = 0, payloadVisibleAfterMs = visibleAfterMs, writeOnce = false } = options;
    this.visibility = { visibleAfterMs, payloadVisibleAfterMs, writeOnce };
    this.capabilities = {
      readsOwnWrites: visibleAfterMs === 0 && payloadVisibleAfterMs === 0,
      atomicBatches: visibleAfterMs === payloadVisibleAfterMs,
      mergesLateRecords: !writeOnce,
      hasOneProcess: true,
      erasesBytes: true,
    };
  }

  ingest(accountId: string, batch: IngestBatch): Promise<IngestOutcome> {
    const { batchId, costs, receivedAt } = batch;
    const account = this.accounts.get(accountId) ?? {
      records: [],
      batchIds: new OracleBatchIds(),
    };
    this.accounts.set(accountId, account);
    if (account.batchIds.isKnown(batchId, receivedAt)) {
      return Promise.resolve({ duplicate: true, dropped: 0 });
    }
    const { spans, traces, dropped } = this.deletions.withoutLate(accountId, batch);
    const stamp = { receivedAt, arrivedUs: this.clock.nowUs() };
    for (const span of spans) {
      const said = { traceId: span.trace_id, facts: readSpanFacts(span) };
      account.records.push({ ...stamp, ...said, span: normalized(span, costs?.get(span)) });
    }
    for (const patch of traces) {
      account.records.push({ ...stamp, traceId: patch.id, facts: readPatchFacts(patch, receivedAt) });
    }
    return Promise.resolve({ duplicate: false, dropped });
  }

  async listTraces(
    accountId: string,
    filter: TraceFilter,
    range: Range<TracePosition>,
    sort: TraceSort = 'time',
  ): Promise<TraceList> {
    const { traceFunctionKey: key, score } = filter;
    const scored = score && (await this.findScored(accountId, 'trace', score));
    const rows = this.listedViews(accountId).flatMap((view): ListedTrace[] => {
      const trace = toSummary(view);
      const calls = view.spans.filter((span) => key === undefined || span.trace_function_key === key);
      const at = (key === undefined ? undefined : calls[0]?.started_at) ?? trace.started_at;
      if (!isListed(filter, { trace, calls, at, metadata: view.record.metadata ?? {} })) return [];
      if (scored?.has(trace.id) === false) return [];
      const rootSpanId = findViewRoot(view)?.id;
      const position = [isTimeSort(sort) ? at : (trace[sort] ?? -1), trace.id] as const;
      return [{ trace, ...(rootSpanId && { rootSpanId }), position }];
    });
    return { traces: newestFirst(rows, range, ({ position }) => position, sort === 'oldest') };
  }

  textsWaitSince(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  findMatchingSpans(
    accountId: string,
    traceIds: readonly string[],
    { traceFunctionKey: key, span: wanted, parentIds, preferredStatus }: SpanCondition,
  ): Promise<MatchingSpan[]> {
    const found = this.listedViews(accountId)
      .filter(({ id }) => traceIds.includes(id))
      .flatMap(({ spans }) => {
        const matching = spans.filter(
          (span) =>
            (key === undefined || span.trace_function_key === key) &&
            (parentIds === undefined || parentIds.includes(span.parent_id ?? '')) &&
            (wanted === undefined || isSpan(span, wanted)),
        );
        const preferred = matching.filter(({ status }) => status === preferredStatus);
        if (preferred.length > 0) return preferred.slice(0, MATCHES_OF_TRACE);
        return matching.slice(0, preferredStatus === undefined ? MATCHES_OF_TRACE : 1);
      });
    return Promise.resolve(
      found.map((span) => ({
        ...toPreviews(span),
        trace_id: span.trace_id,
        span_id: span.id,
        parent_id: span.parent_id ?? null,
        trace_function_key: span.trace_function_key,
        name: span.name,
        type: span.type,
        status: span.status,
        payload_bytes: JSON.stringify(span.span_data).length,
      })),
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
    const page = view.spans.slice(begin, begin + limit).map(toSpanSummary);
    const last = page.at(-1);
    const { started_by: startedBy, links } = findViewRoot(view)?.span_data.meta ?? {};
    return Promise.resolve({
      ...toSummary(view),
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
    return Promise.resolve(listNodes(this.views(accountId, traceIds)));
  }

  listClassedCalls(accountId: string, traceIds: string[], traceFunctionKey: string): Promise<ClassedCall[]> {
    return Promise.resolve(listClassedCalls(this.views(accountId, traceIds), traceFunctionKey));
  }

  matchCalls(
    accountId: string,
    traceIds: readonly string[],
    traceFunctionKey: string,
    span: Omit<SpanFilter, 'text'>,
  ): Promise<SpanRef[]> {
    return Promise.resolve(listMatchingCalls(this.views(accountId, [...traceIds]), traceFunctionKey, span));
  }

  readSpans(accountId: string, refs: readonly SpanRef[]): Promise<StoredSpan[]> {
    const traceIds = [...new Set(refs.map(({ trace_id }) => trace_id))];
    const wanted = new Set(refs.map(({ trace_id, span_id }) => `${trace_id}/${span_id}`));
    const seen = this.recordsSeen(accountId, this.visibility.payloadVisibleAfterMs);
    const spans = toViews(seen, new Set(traceIds)).flatMap((view) => view.spans);
    const found = spans.filter(({ trace_id, id }) => wanted.has(`${trace_id}/${id}`));
    return Promise.resolve(found.map((span) => ({ ...span, span_data: withPrompt(span.span_data) })));
  }

  listCallTraces(
    accountId: string,
    filter: CallTraceFilter,
    range: Range,
  ): Promise<{ trace_id: string; started_at: string }[]> {
    const rows = listCallTraces(this.views(accountId), filter).filter(({ isRecorded }) => isRecorded);
    return Promise.resolve(
      newestFirst(rows, range, ({ started_at, trace_id }) => [started_at, trace_id]).map(
        ({ started_at, trace_id }) => ({ started_at, trace_id }),
      ),
    );
  }

  countCallTraces(accountId: string, filter: CallTraceFilter): Promise<{ listed: number; others: number }> {
    const traces = listCallTraces(this.views(accountId), filter);
    const listed = traces.filter(({ isRecorded }) => isRecorded).length;
    return Promise.resolve({ listed, others: traces.length - listed });
  }

  listTraceFunctionKeys(accountId: string): Promise<TraceFunctionKeySummary[]> {
    const keys = toKeySummaries(this.views(accountId));
    return Promise.resolve(newestFirst(keys, { limit: keys.length }, (key) => [key.last_started_at, '']));
  }

  listFacetValues(accountId: string, query: SpanFacetQuery, limit: number): Promise<FacetValues> {
    return Promise.resolve(listFacetValues(this.listedViews(accountId), query, limit));
  }

  async listSessions(
    accountId: string,
    { score }: { score?: ScoreFilter },
    range: Range,
  ): Promise<SessionList> {
    const scored = score && (await this.findScored(accountId, 'session', score));
    const sessions = toSessions(this.listedViews(accountId)).filter(
      ({ session_id }) => scored?.has(session_id) !== false,
    );
    return { sessions: newestFirst(sessions, range, (row) => [row.last_started_at, row.session_id]) };
  }

  readRunCandidate(accountId: string, testRunId: string): Promise<RunCandidate> {
    const own = this.views(accountId).filter(({ spans }) =>
      spans.some((span) => span.test_run_id === testRunId),
    );
    const listValues = (name: keyof RunCandidate): string[] =>
      [...new Set(own.flatMap(({ record }) => record[name] ?? []))].sort().slice(0, 10);
    return Promise.resolve({
      user_id: listValues('user_id'),
      tags: listValues('tags'),
      environment: listValues('environment'),
      release: listValues('release'),
    });
  }

  readMetrics(accountId: string, query: MetricsQuery): Promise<MetricsAnswer> {
    return Promise.resolve({ rows: computeMetrics(this.views(accountId), query), waitingBatches: 0 });
  }

  deleteAccount(accountId: string): Promise<void> {
    this.accounts.delete(accountId);
    this.deletions.deleteAccount(accountId);
    return Promise.resolve();
  }

  /** What has a score that counts and matches the filter. */
  private async findScored(
    accountId: string,
    target: ScoreKey['target'],
    filter: ScoreFilter,
  ): Promise<Set<string>> {
    const found = new Set<string>();
    let after: Range['after'];
    do {
      const range = { limit: 1000, ...(after && { after }) };
      const list = await this.scores?.list(accountId, { name: filter.name }, range);
      const { scores = [], lookedUntil } = list ?? {};
      for (const score of scores) {
        const key = toScoreKey(score);
        if (key.target === target && matchesScore(score, filter)) found.add(key.targetId);
      }
      const last = scores.length === range.limit ? scores.at(-1) : undefined;
      after = last ? [last.created_at, last.id] : lookedUntil;
    } while (after !== undefined);
    return found;
  }

  private views(accountId: string, traceIds?: string[]): View[] {
    const seen = this.recordsSeen(accountId, this.visibility.visibleAfterMs);
    return toViews(seen, traceIds && new Set(traceIds));
  }

  /** What lists show: where nothing is written twice, of each span and of each trace's patches the first. */
  private listedViews(accountId: string): View[] {
    const { visibleAfterMs, writeOnce } = this.visibility;
    const seen = this.recordsSeen(accountId, visibleAfterMs);
    return toViews(writeOnce ? firstOfEach(seen) : seen);
  }

  private recordsSeen(accountId: string, afterMs: number): Arrived[] {
    const { records = [] } = this.accounts.get(accountId) ?? {};
    // Not by the clock of the machine, which may be set back between both.
    if (afterMs === 0) return [...records];
    const nowUs = this.clock.nowUs();
    return records.filter(({ arrivedUs }) => arrivedUs + afterMs * 1000 <= nowUs);
  }
}

function matchesScore(
  score: Pick<ScoreRecord, 'name' | 'value'>,
  { name, is, below, above }: ScoreFilter,
): boolean {
  const amount = scoreAmount(score);
  return (
    score.name === name &&
    score.value !== null &&
    (is === undefined || is.includes(score.value)) &&
    (below === undefined || (amount !== undefined && amount < below)) &&
    (above === undefined || (amount !== undefined && amount > above))
  );
}
