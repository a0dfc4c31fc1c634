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
 * What a driver promises beyond the methods. Services and the contract suite read it and adapt to a store that cannot promise
 * something.
 */
export interface SpanStoreCapabilities {
  /** The next read contains an acknowledged batch. Otherwise the batch appears some time later. */
  readsOwnWrites: boolean;
  /** A span appears together with its payload, even if a large batch appears in pieces. Otherwise a reader may find a span before its payload. */
  atomicBatches: boolean;
  /**
   * Lists show late records: the end of an unfinished span, a patch of a trace. Otherwise lists and their filters may keep the first
   * record. Reads of one trace or span are always complete.
   */
  mergesLateRecords: boolean;
  /** No other process changes the data. Otherwise services keep nothing in memory that may be deleted. */
  hasOneProcess: boolean;
  /** A scrub removes the bytes of deleted spans from every file. Otherwise they stay until the engine reuses their space. */
  erasesBytes: boolean;
}

/** How long a batch id is stored. Clients stop retrying much earlier. */
export const BATCH_IDS_KEPT_US = 7 * 24 * 3600 * 1e6;

export interface IngestBatch {
  /** A second batch with the same id within {@link BATCH_IDS_KEPT_US} stores nothing. */
  batchId?: string;
  /** Their facts about the trace (`readSpanFacts`) are stored with the trace, and are not in reads of spans. */
  spans: SpanRecord[];
  /** A patch without a time of its own counts from `receivedAt`. */
  traces: TraceRecord[];
  /** Costs of spans in the batch. The cost of other spans is unknown. */
  costs?: ReadonlyMap<SpanRecord, SpanCost>;
  /** The received JSON of members of `span_data`. A store may keep it instead of encoding the values again. */
  texts?: ReadonlyMap<SpanRecord, ReadonlyMap<string, string>>;
  receivedAt: string;
}

export interface IngestOutcome {
  /** Whether the batch was already stored. `false` if the store cannot detect it. */
  duplicate: boolean;
  /** Records that were not stored because their trace, session or user was deleted. */
  dropped: number;
}

export interface ListedTrace {
  trace: TraceSummary;
  rootSpanId?: string;
  position: TracePosition;
}

/** The sort key of a trace: its time or amount (-1 if unknown), and its id. */
export type TracePosition = readonly [by: string | number, id: string];

/** The position of a span in its trace: its start, and a number that orders spans with the same start. */
export type SpanPosition = readonly [startedAt: string, number: number];

export interface FoundTrace extends Omit<TraceDetail, 'next_cursor'> {
  /** Position of the last span, if there are more. */
  next?: SpanPosition;
}

export interface TraceList {
  traces: ListedTrace[];
  /** The store stopped at this position before the list was full, so there may be more traces. */
  lookedUntil?: TracePosition;
  /** With a text: records of any account that were received from then on may be missing. Absent: none are. */
  textIndexedUntil?: string;
  /** The number of the account's spans whose text is longer than what is indexed. */
  cutTexts?: number;
}

export interface SessionList {
  sessions: SessionSummary[];
  /** See {@link TraceList}. */
  lookedUntil?: Position;
}

/** The facts of a trace, each with its time. */
export interface KnownTrace {
  id: string;
  facts: TraceFact[];
}

/** Selects spans of listed traces that match all conditions. */
export interface SpanCondition {
  traceFunctionKey?: string;
  span?: SpanFilter;
  /** Children of one of these spans. */
  parentIds?: readonly string[];
  /** Of a trace with such spans, only those with this status are returned; of any other trace, its first span. */
  preferredStatus?: SpanStatus;
}

/** The maximum of matching spans that are returned for each trace. */
export const MATCHES_OF_TRACE = 20;

export interface SpanRef {
  trace_id: string;
  span_id: string;
}

/** A matching span, as lists show it. */
export interface MatchingSpan extends SpanRef, Omit<FirstCall, 'id' | 'snippet'> {
  parent_id: string | null;
  payload_bytes: number;
}

/** The place of a span in its trace, and its size. */
export interface SpanNode extends SpanRef {
  parent_id: string | null;
  trace_function_key: string;
  status: SpanStatus;
  test_run_id: string | null;
  started_at: string;
  duration_ms: number | null;
  payload_bytes: number;
}

/** A call of a method of a class; see `CaptureMeta.class`. */
export interface ClassedCall extends SpanRef {
  class_name: string;
}

/** Selects traces with a call with this key. */
export interface CallTraceFilter {
  traceFunctionKey: string;
  /** The first call with the key started at this time or later. */
  since?: string;
  /** The first call with the key started before this time. */
  until?: string;
  session_id?: string;
  /** At least one call with the key has this status. */
  status?: Exclude<SpanStatus, 'ok'>;
}

/**
 * Stores spans and traces. Every method is limited to one account. Times are ISO 8601 in UTC with microseconds, as in records.
 *
 * A span is identified by account, trace and id. A finished span never changes. The next record with the same identity replaces an
 * `unfinished` one, or is joined with it if it has `continues` (`joinRecords`), on write or on read. A trace exists as soon as
 * a span or a patch of it arrived. `TraceFacts` derives its session, metadata and contexts from all spans and patches, in any order.
 *
 * Deleted data does not come back: late records of it are acknowledged and dropped.
 */
export abstract class SpanStore {
  abstract readonly capabilities: SpanStoreCapabilities;
  abstract readonly deletions: TraceDeletions;

  /** Resolves when the batch is stored as safely as this store can. */
  abstract ingest(accountId: string, batch: IngestBatch): Promise<IngestOutcome>;

  /**
   * Sorts by time, newest first (with a key, by the first call with it), or by an amount, greatest first and traces without the
   * amount last. A store may read a limited number of traces, and then returns `lookedUntil`.
   */
  abstract listTraces(
    accountId: string,
    filter: TraceFilter,
    range: Range<TracePosition>,
    sort?: TraceSort,
  ): Promise<TraceList>;

  /** Records that were received from this time on may not be in the text index yet; `undefined`: all are. Waits for no index. */
  abstract textsWaitSince(): Promise<string | undefined>;

  /** Up to {@link MATCHES_OF_TRACE} matching spans per trace, the earliest ones, sorted by start within each trace. */
  abstract findMatchingSpans(
    accountId: string,
    traceIds: readonly string[],
    condition: SpanCondition,
  ): Promise<MatchingSpan[]>;

  /** A trace with a page of its spans, without payloads and sorted by start. Default: the first `LIMITS.spansOfTrace`. */
  abstract findTrace(
    accountId: string,
    traceId: string,
    range?: Range<SpanPosition>,
  ): Promise<FoundTrace | undefined>;

  /** Session, metadata and contexts of these traces; missing ones are skipped. In any order. */
  abstract readTraces(accountId: string, traceIds: string[]): Promise<TraceRecord[]>;

  /** Like {@link readTraces}, with the time of each fact. In any order. */
  abstract readFacts(accountId: string, traceIds: string[]): Promise<KnownTrace[]>;

  /**
   * The spans of these traces, sorted by start within each trace.
   *
   * @param lineageKey a store may skip spans that are neither calls with this key nor their ancestors
   */
  abstract listNodes(accountId: string, traceIds: string[], lineageKey?: string): Promise<SpanNode[]>;

  /** The calls with the key in these traces that were recorded on a class. In any order. */
  abstract listClassedCalls(
    accountId: string,
    traceIds: string[],
    traceFunctionKey: string,
  ): Promise<ClassedCall[]>;

  /** The calls with the key in these traces that match all fields. In any order. */
  abstract matchCalls(
    accountId: string,
    traceIds: readonly string[],
    traceFunctionKey: string,
    span: Omit<SpanFilter, 'text'>,
  ): Promise<SpanRef[]>;

  /** Spans with their payloads, and with prompts that are only in the input (`withPrompt`). Missing spans are skipped. In any order. */
  abstract readSpans(accountId: string, spans: readonly SpanRef[]): Promise<StoredSpan[]>;

  /** Traces with a finished call with the key outside test runs, sorted by the first call with the key, newest first. */
  abstract listCallTraces(
    accountId: string,
    filter: CallTraceFilter,
    range: Range,
  ): Promise<{ trace_id: string; started_at: string }[]>;

  /** The number of traces that {@link listCallTraces} lists, and of other traces with a call with the key. */
  abstract countCallTraces(
    accountId: string,
    filter: CallTraceFilter,
  ): Promise<{ listed: number; others: number }>;

  /** Sorted by the last call, newest first. */
  abstract listTraceFunctionKeys(accountId: string): Promise<TraceFunctionKeySummary[]>;

  /**
   * Values with the requested prefix that a filter accepts, sorted by the newest trace id that has them. A store may read a limited
   * number of values, and then reports it. For an entry of metadata with members, it may know the members of one trace only.
   */
  abstract listFacetValues(accountId: string, query: SpanFacetQuery, limit: number): Promise<FacetValues>;

  /**
   * Sorted by the latest trace, newest first. Replays do not count. A store may read a limited number of sessions, and then returns
   * `lookedUntil`.
   */
  abstract listSessions(
    accountId: string,
    filter: { score?: ScoreFilter },
    range: Range,
  ): Promise<SessionList>;

  /** The first ten values of each field that metrics group by, in the traces of a test run. */
  abstract readRunCandidate(accountId: string, testRunId: string): Promise<RunCandidate>;

  /** Number of calls, durations and usage, computed from the stored spans. */
  abstract readMetrics(accountId: string, query: MetricsQuery): Promise<MetricsAnswer>;

  /** Deletes everything of the account, including its records of deletions. */
  abstract deleteAccount(accountId: string): Promise<void>;
}
