import type {
  FacetValues,
  FirstCall,
  RunCandidate,
  SessionSummary,
  SpanRecord,
  SpanStatus,
  TraceDetail,
  TraceFact,
  TraceFunctionKeySummary,
  TraceRecord,
  TraceSort,
  TraceSummary,
} from '@dacapo/protocol';
import type { MetricsAnswer, MetricsQuery } from './metrics-query.js';
import type { SpanCost } from '../../prices/price-list.js';
import type { SpanFacetQuery } from './facets.js';
import type { ScoreFilter } from './score.js';
import type { Position, Range } from './range.js';
import type { StoredSpan } from '../rules/span-usage.js';
import type { TraceDeletions } from './trace-deletion.js';
import type { SpanFilter, TraceFilter } from './trace-filter.js';

export type { Position, Range } from './range.js';

/**
 * What a driver promises beyond the required methods. Services and the contract suite read it: a store that cannot
 * promise something says so, and they make do without.
 */
export interface SpanStoreCapabilities {
  /** What an ingest acknowledged is in the next read. Without it, it appears some time later. */
  readsOwnWrites: boolean;
  /** A span appears together with its payload, though a large batch may appear in pieces. Without it a reader may find a span before its payload. */
  atomicBatches: boolean;
  /**
   * Lists show what came late: the end of an unfinished span, a patch of a trace. Without it lists and their filters may
   * go on showing what came first; reads of one trace or span are whole in any case.
   */
  mergesLateRecords: boolean;
  /** No other process changes what is stored. Without it nothing that may be deleted is kept in memory. */
  hasOneProcess: boolean;
  /** A scrub removes the bytes of deleted spans from every file. Without it they stay until the engine reuses their space. */
  erasesBytes: boolean;
}

/** How long a batch id is remembered. A client that retries gives up long before. */
export const BATCH_IDS_KEPT_US = 7 * 24 * 3600 * 1e6;

export interface IngestBatch {
  /** A batch sent again under one id within {@link BATCH_IDS_KEPT_US} stores nothing more. */
  batchId?: string;
  /** What they say of their trace (`factsOfSpan`) is part of the trace, not of what is read of a span. */
  spans: SpanRecord[];
  /** One that does not tell when it was made counts from `receivedAt`. */
  traces: TraceRecord[];
  /** What spans of the batch cost; the others have no known cost. */
  costs?: ReadonlyMap<SpanRecord, SpanCost>;
  /** The JSON of members of `span_data`, as it came: a store may keep it, and need not encode the values again. */
  texts?: ReadonlyMap<SpanRecord, ReadonlyMap<string, string>>;
  receivedAt: string;
}

export interface IngestOutcome {
  /** Whether the batch was known. A store that cannot tell says false. */
  duplicate: boolean;
  /** Records that were not stored because their traces, or their sessions, were deleted. */
  dropped: number;
}

export interface ListedTrace {
  trace: TraceSummary;
  rootSpanId?: string;
  position: TracePosition;
}

/** The sort key of a trace: a time, or an amount, which is -1 where it is not known. Beside it, its id. */
export type TracePosition = readonly [by: string | number, id: string];

/** Where a span is in its trace: when it started, and a number that tells those apart that started at the same time. */
export type SpanPosition = readonly [startedAt: string, number: number];

export interface FoundTrace extends Omit<TraceDetail, 'next_cursor'> {
  /** Of the last span, when there are more. */
  next?: SpanPosition;
}

export interface TraceList {
  traces: ListedTrace[];
  /** The store looked at no trace behind this position, although the list is not full: there may be more. */
  lookedUntil?: TracePosition;
  /** Where a text was asked for: what was received from then on, of any account, may be missing. Absent: nothing is. */
  textIndexedUntil?: string;
  /** Spans of the account with words that a search does not look at, because they come late in a long text. */
  cutTexts?: number;
}

export interface SessionList {
  sessions: SessionSummary[];
  /** As of a {@link TraceList}. */
  lookedUntil?: Position;
}

/** What is known of a trace, and when each of it was said. */
export interface KnownTrace {
  id: string;
  facts: TraceFact[];
}

/** The earliest span of a trace that is all of this. */
export interface FirstSpanQuery {
  traceId: string;
  traceFunctionKey?: string;
  parentId?: string;
  status?: SpanStatus;
}

export interface SpanRef {
  trace_id: string;
  span_id: string;
}

/** Where a span is in its trace, and how much it holds. */
export interface SpanNode extends SpanRef {
  parent_id: string | null;
  trace_function_key: string;
  status: SpanStatus;
  test_run_id: string | null;
  started_at: string;
  duration_ms: number | null;
  payload_bytes: number;
}

/** A call that was recorded on a class: see `CaptureMeta.class`. */
export interface ClassedCall extends SpanRef {
  class_name: string;
}

/** Traces with a call of this key. */
export interface CallTraceFilter {
  traceFunctionKey: string;
  /** The first call of the key started then or later. */
  since?: string;
  /** The first call of the key started before. */
  until?: string;
  session_id?: string;
  /** Some call of the key has this status. */
  status?: Exclude<SpanStatus, 'ok'>;
}

/**
 * Where spans and traces are kept. Every method sees one account's data alone. Times are ISO 8601 in UTC with
 * microseconds, as in records.
 *
 * Identity of a span is (account, trace, id): a finished span never changes; an `unfinished` one is replaced by what
 * comes under its identity next, or joined with it if that says `continues`: when it is written, or when it is read
 * (`joinRecords`). A trace exists as soon as a span or a patch of it arrived. Its session, metadata and contexts are what
 * `TraceFacts` makes of all its spans and patches, in whatever order they come.
 *
 * What was deleted does not come back: what is ingested of it later is acknowledged, and dropped.
 */
export abstract class SpanStore {
  abstract readonly capabilities: SpanStoreCapabilities;
  abstract readonly deletions: TraceDeletions;

  /** Resolves when the batch is as safe as this store keeps anything. */
  abstract ingest(accountId: string, batch: IngestBatch): Promise<IngestOutcome>;

  /**
   * Sorted by time, the newest first: under a key, by the first call of the key. By an amount, the greatest first; traces that
   * do not tell it come last. A store may look at so many traces at most, and then says how far it came.
   */
  abstract listTraces(
    accountId: string,
    filter: TraceFilter,
    range: Range<TracePosition>,
    sort?: TraceSort,
  ): Promise<TraceList>;

  /** Since when what was received may not be found by its text yet; absent: all is. Waits for no index. */
  abstract textsWaitSince(): Promise<string | undefined>;

  /** Traces without such a span are skipped. */
  abstract findFirstSpans(
    accountId: string,
    queries: FirstSpanQuery[],
  ): Promise<(FirstCall & { trace_id: string })[]>;

  /** A page of its spans, without payloads, in the order in which they started; `LIMITS.spansOfTrace` of the first ones when absent. */
  abstract findTrace(
    accountId: string,
    traceId: string,
    range?: Range<SpanPosition>,
  ): Promise<FoundTrace | undefined>;

  /** Session, metadata and contexts of these traces; missing ones are skipped. In any order. */
  abstract readTraces(accountId: string, traceIds: string[]): Promise<TraceRecord[]>;

  /** As {@link readTraces}, with the times at which it was said. In any order. */
  abstract readFacts(accountId: string, traceIds: string[]): Promise<KnownTrace[]>;

  /**
   * The spans of these traces, those of each in the order in which they started.
   *
   * @param lineageKey only calls of this key and what is above them matter: a store may leave the rest out
   */
  abstract listNodes(accountId: string, traceIds: string[], lineageKey?: string): Promise<SpanNode[]>;

  /** Of the calls of the key in these traces, those that say on which class they were recorded. In any order. */
  abstract listClassedCalls(
    accountId: string,
    traceIds: string[],
    traceFunctionKey: string,
  ): Promise<ClassedCall[]>;

  /** Of the calls of the key in these traces, those that are all of this. In any order. */
  abstract matchCalls(
    accountId: string,
    traceIds: readonly string[],
    traceFunctionKey: string,
    span: Omit<SpanFilter, 'text'>,
  ): Promise<SpanRef[]>;

  /** These spans with their payloads, and with prompts that are only in their inputs (`withPrompt`); missing ones are skipped. In any order. */
  abstract readSpans(accountId: string, spans: readonly SpanRef[]): Promise<StoredSpan[]>;

  /** Traces with a finished call of the key that no test run made, by the first call of the key, the newest first. */
  abstract listCallTraces(
    accountId: string,
    filter: CallTraceFilter,
    range: Range,
  ): Promise<{ trace_id: string; started_at: string }[]>;

  /** How many traces {@link listCallTraces} lists, and how many others have a call of the key. */
  abstract countCallTraces(
    accountId: string,
    filter: CallTraceFilter,
  ): Promise<{ listed: number; others: number }>;

  /** The key that was called last first. */
  abstract listTraceFunctionKeys(accountId: string): Promise<TraceFunctionKeySummary[]>;

  /**
   * Values that filters may take, with the prefix that is asked for: that of the newest trace first, by the ids of traces. A store may look at so many at most, and then says so; of an entry of metadata with members it may know those of
   * one trace alone.
   */
  abstract listFacetValues(accountId: string, query: SpanFacetQuery, limit: number): Promise<FacetValues>;

  /**
   * The session with the latest trace first, of what the application did: replays do not count. A store may look at so many
   * sessions at most, and then says how far it came.
   */
  abstract listSessions(
    accountId: string,
    filter: { score?: ScoreFilter },
    range: Range,
  ): Promise<SessionList>;

  /** What metrics group traces by, of the traces that a test run made: the first ten values of each field. */
  abstract readRunCandidate(accountId: string, testRunId: string): Promise<RunCandidate>;

  /** What was called how often, how long it took and what it used, from the spans that are stored. */
  abstract readMetrics(accountId: string, query: MetricsQuery): Promise<MetricsAnswer>;

  /** With all that is remembered of deletions. */
  abstract deleteAccount(accountId: string): Promise<void>;
}
