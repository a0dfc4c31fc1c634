import type {
  Page,
  RecordedCall,
  RecordedDescendant,
  SearchCallsRequest,
  SessionSummary,
  SpanRecord,
  SpanStatus,
  TraceDetail,
  TraceFunctionKeySummary,
  TraceRecord,
  TraceSummary,
} from '@dacapo/protocol';
import type { PageRequest } from './pages.js';

/** What a driver promises beyond the required methods. */
export interface SpanStoreCapabilities {
  /** A batch is stored whole or not at all, even when the process dies in between. */
  atomicBatches: boolean;
  /** What an ingest acknowledged is in the next read. */
  readsOwnWrites: boolean;
}

export interface IngestBatch {
  /** A batch sent again under one id stores nothing more. */
  batchId?: string;
  spans: SpanRecord[];
  traces: TraceRecord[];
  receivedUs: number;
}

export interface IngestOutcome {
  duplicate: boolean;
}

export interface TraceFilter {
  /** Traces with a span of this key, wherever it stands. */
  traceFunctionKey?: string;
  sessionId?: string;
  /** Of the trace's root. */
  status?: SpanStatus;
  testRunId?: string;
  /** Only what was recorded, not what test runs played again. */
  withoutReplays?: true;
}

/**
 * Where spans and traces are kept. Every method sees one account's data alone.
 *
 * Identity of a span is (account, trace, id): a finished span never changes; an `unfinished` one is replaced by what
 * comes under its identity next, or joined with it if that says `continues`. A trace exists as soon as a span or a patch of it arrived; patches merge.
 */
export abstract class SpanStore {
  abstract readonly capabilities: SpanStoreCapabilities;

  /** Resolves when the batch survives the death of the process. */
  abstract ingest(accountId: string, batch: IngestBatch): Promise<IngestOutcome>;

  /** The newest first. @throws InvalidCursorError */
  abstract listTraces(accountId: string, filter: TraceFilter, page: PageRequest): Promise<Page<TraceSummary>>;

  /** Spans in the order in which they started, without payloads. */
  abstract findTrace(accountId: string, traceId: string): Promise<TraceDetail | undefined>;

  abstract findSpan(accountId: string, traceId: string, spanId: string): Promise<SpanRecord | undefined>;

  /** The key that was called last first. */
  abstract listTraceFunctionKeys(accountId: string): Promise<TraceFunctionKeySummary[]>;

  /** The session with the latest trace first, of what the application did: replays do not count. @throws InvalidCursorError */
  abstract listSessions(accountId: string, page: PageRequest): Promise<Page<SessionSummary>>;

  /**
   * Of each trace the outermost span of the key: no ancestor has the key; then the shallowest, then the earliest.
   * Without `trace_ids`, unfinished calls and those of a test run are left out. A page of great payloads ends early.
   *
   * @throws InvalidCursorError
   */
  abstract searchCalls(
    accountId: string,
    search: Required<Pick<SearchCallsRequest, 'limit'>> & SearchCallsRequest,
  ): Promise<Page<RecordedCall>>;

  /**
   * The calls below a span, at any depth, in the order in which they started. A page of great payloads ends early.
   *
   * @returns `undefined` when there is no such span
   * @throws InvalidCursorError
   */
  abstract listDescendants(
    accountId: string,
    traceId: string,
    spanId: string,
    page: PageRequest,
  ): Promise<Page<RecordedDescendant> | undefined>;

  abstract deleteAccount(accountId: string): Promise<void>;
}
