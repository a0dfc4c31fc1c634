import type { JsonObject, JsonValue } from '../json/json-value.js';
import type { IndexRemote } from '../records/index-remote.js';
import type { IndexedService, IndexType } from '../records/indexed-service.js';
import type {
  CaptureMeta,
  ErrorRecord,
  SpanRecord,
  SpanStatus,
  SpanType,
  StartedBy,
  UsageRecord,
} from '../records/span.js';
import type { DatasetItem, DatasetItemInput, DatasetVersion } from '../records/dataset.js';
import type { Author, ScoreRecord } from '../records/score.js';
import type {
  Baseline,
  CallSelection,
  ItemUsage,
  TestRunItemReport,
  TestRunStatus,
  Verdict,
} from '../records/test-run.js';
import type { TraceRecord } from '../records/trace.js';
import type { SpanUsage, TraceUsage } from './usage-bodies.js';

/** The body of every answer that is no success (SPEC 2.5). */
export interface ErrorBody {
  detail: string;
  status_code: number;
}

/** The envelope of the developer endpoints (SPEC 2.1). */
export interface Envelope<T> {
  ok: boolean;
  error: string | null;
  data: T;
}

/** One page of a list; `next_cursor` is absent on the last. Cursors are opaque. */
export interface Page<T> {
  items: T[];
  next_cursor?: string;
}

/** SPEC 2.2 */
export interface ListIndexesData {
  indexes: IndexedService[];
}

export interface GetContextRequest {
  /** Either this or `index_ids`. */
  index_id?: string;
  /** Several at once, at most `LIMITS.indexesAtOnce`; passages of each are ranked together. */
  index_ids?: string[];
  query: string;
  /** 1 to 50; 5 when absent, 50 when there is a budget. */
  limit?: number;
  /** Passages come until the next would go beyond it, and always one. A token counts as four characters, or as one in unspaced scripts. */
  max_tokens?: number;
  /** What comes with each passage: the sections before and after it, or the whole page, as far as the budget lasts. */
  expand?: ContextExpansion;
  /** Passages whose code is in other programming languages alone are left out: `python`, `ts`, `C#`. */
  language?: string;
}

export const CONTEXT_EXPANSIONS = ['neighbours', 'page'] as const;
export type ContextExpansion = (typeof CONTEXT_EXPANSIONS)[number];

/** A passage of a document. */
export interface ContextResult {
  /** The document's title and the headings down to the passage, joined by ` › `. */
  title: string;
  /** The same, one by one. */
  heading_path: string[];
  index_id: string;
  /** Where the document came from: a path or an address. */
  source: string;
  /** What a link to it ends with, without `#`; absent when there is nothing to link to. */
  anchor?: string;
  /** Where it begins in the document, from 1; absent when that is not known. */
  line?: number;
  content: string;
  /** Higher is nearer; comparable within one answer only. */
  score: number;
}

export interface GetContextData {
  /** The one that was asked; absent when several were. */
  index_id?: string;
  results: ContextResult[];
  /** Why passages were ranked with less than the service was told to use, such as without its embedder. Absent when they were not. */
  notes?: string[];
}

/** A line of an ingest body that was not taken, counted from 1. */
export interface Rejection {
  line: number;
  id?: string;
  detail: string;
}

export interface IngestAnswer {
  accepted: number;
  rejected: Rejection[];
  /** The batch id was seen before; nothing was stored again. */
  duplicate?: true;
  /** Of those accepted, records of traces and sessions that were deleted: they came late, and are not stored. */
  dropped?: number;
}

/** The call of a trace that says what it was about, where its root does not. */
export interface FirstCall {
  name: string;
  input_preview?: string;
  output_preview?: string;
  /** Its error's name and message, cut. */
  error_preview?: string;
}

/** A trace in a list: no payloads. */
export interface TraceSummary {
  id: string;
  session_id?: string;
  trace_function_key: string;
  name: string;
  type: SpanType;
  status: SpanStatus;
  started_at: string;
  ended_at?: string;
  duration_ms?: number;
  span_count: number;
  error_count: number;
  /** Input and output tokens of its counted model calls, as {@link TraceUsage} counts them; absent: none told any. */
  tokens?: number;
  /** What they cost in US dollars, as far as prices are known; absent: no price is. */
  cost_usd?: number;
  input_preview?: string;
  output_preview?: string;
  /** Of its root: the error's name and message, cut. */
  error_preview?: string;
  /** In a list: the first call of the key that was asked for; without a key, of a request, the first inside it. */
  first_call?: FirstCall;
  test_run_id?: string;
  /** Of its model calls. In a list it may lag behind what came last; absent: none told what it used. */
  usage?: TraceUsage;
}

/** A span in a waterfall: no payloads. */
export interface SpanSummary extends Omit<
  SpanRecord,
  'trace_id' | 'span_data' | 'test_run_id' | 'source_span_id'
> {
  /** Its function did not run: a replay answered the call from the recording. */
  mocked?: true;
  /** Its error's name and message, cut. */
  error_preview?: string;
  /** Of a span of type `llm`. */
  usage?: SpanUsage;
}

export interface TraceDetail extends TraceSummary {
  /** The span in whose context it began after that had ended, as its root says. */
  started_by?: StartedBy;
  metadata: JsonObject;
  contexts: Record<string, JsonValue>;
  spans: SpanSummary[];
  /** Of the trace and its spans, the latest by name and author; the newest first, at most `LIMITS.scores`. */
  scores?: ScoreRecord[];
}

/** One span with its payload. */
export interface SpanDetail extends SpanRecord {
  /** What it cost, of a span of type `llm`, as {@link SpanUsage} says. */
  cost_usd?: number;
  price_version?: string;
  /** The latest by name and author, the newest first. */
  scores?: ScoreRecord[];
}

export interface TraceFunctionKeySummary {
  trace_function_key: string;
  span_count: number;
  last_started_at: string;
}

export interface SessionSummary {
  session_id: string;
  trace_count: number;
  first_started_at: string;
  last_started_at: string;
}

/** `POST` {@link ROUTES.scores}: at most `LIMITS.scores`. */
export interface AddScoresRequest {
  scores: ScoreRecord[];
}

/** A refused score never harms its neighbours. One that is known already counts as accepted. */
export interface AddScoresAnswer {
  accepted: number;
  rejected: RefusedEntry[];
}

/** One entry of a list that was not taken. */
export interface RefusedEntry {
  /** Its place in the list, from 0. */
  index: number;
  detail: string;
}

/**
 * `POST` {@link ROUTES.searchCalls}: stored calls of a key, page by page, without a test run. `limit` is the size of a page
 * here, 1 to 200; 50 when absent.
 */
export interface SearchCallsRequest extends Omit<CallSelection, 'sample'> {
  trace_function_key: string;
  cursor?: string;
  /** With the calls inside each. */
  descendants?: boolean;
}

/** A stored call with its payload. */
export interface RecordedCall {
  trace_id: string;
  span_id: string;
  name: string;
  type: SpanType;
  status: SpanStatus;
  started_at: string;
  duration_ms?: number;
  session_id?: string;
  /** What is known of its trace, where that is something; of calls inside another it is absent. */
  trace?: Omit<TraceRecord, 'id'>;
  input?: JsonValue[];
  output?: JsonValue;
  error?: ErrorRecord;
  usage?: UsageRecord;
  meta?: CaptureMeta;
}

/** A stored call that was made inside another, at any depth, with its payload. */
export interface RecordedDescendant extends RecordedCall {
  parent_id: string;
  trace_function_key: string;
}

/** A call, and what was called inside it. */
export interface RecordedCallTree extends RecordedCall {
  /** In the order in which they started. Absent unless they were asked for. */
  descendants?: RecordedDescendant[];
  /** There are more: they begin at this cursor of {@link ROUTES.descendants}. */
  descendants_cursor?: string;
}

/** `POST` {@link ROUTES.testRuns}. */
export interface CreateTestRunRequest {
  trace_function_key: string;
  name?: string;
  /**
   * Which calls are played. The service resolves it at once and keeps it: {@link ROUTES.testRunCalls} gives the calls.
   * Absent: the reporter brings its items itself.
   */
  selection?: CallSelection;
  /** Plays the items of a dataset in place of a selection; its latest version when `version` is absent. */
  dataset?: { name: string; version?: number };
  /** `recording` when absent. The service resolves it at once: what is accepted later is for later runs. */
  baseline?: Baseline;
  /** How often each item is played: 1, the default, to `LIMITS.repetitions`. */
  repeat?: number;
}

/**
 * `GET` {@link ROUTES.testRunCalls}: the run's selection, page by page, in its order. Query: `limit` (1 to 200; 50 when
 * absent) and `cursor`; `left=true`, only items that no repetition was reported of; `descendants=true`, with the calls
 * inside each. A page of great payloads ends early.
 */
export interface SelectedCall {
  item_no: number;
  /** Absent of a dataset's item that was copied from no call. */
  trace_id?: string;
  /** Absent when the trace holds no call of the key, or the call cannot be read any more. */
  call?: RecordedCallTree;
  /** Of a run over a dataset. Absent when the dataset was deleted meanwhile. */
  dataset_item?: DatasetItem;
  /**
   * What the item is compared with, where that is not the recording. Under the baseline `accepted` it is absent when nothing
   * was accepted for the call, and the recording counts; under a test run it is absent when that has no such item.
   */
  baseline?: BaselineOutcome;
}

/** How a call ended, by another source than its recording. */
export interface BaselineOutcome {
  output?: JsonValue;
  error?: ErrorRecord;
  /** Notes on `output` are `meta.output`. */
  meta?: CaptureMeta;
  usage?: ItemUsage;
  duration_ms?: number;
  /** A person accepted it. */
  accepted?: true;
}

/**
 * `POST` {@link ROUTES.acceptTestRunItem}: a person accepts the item's new outcome, which is expected of its call from then
 * on. Answers with the item. `DELETE` takes it back; its query may have `repetition`.
 */
export interface AcceptItemRequest {
  /** The account itself when absent. */
  author?: Author;
  note?: string;
  /** 0 when absent. */
  repetition?: number;
}

/** `POST` {@link ROUTES.testRunItems}: at most `LIMITS.reportedItems`. It is a sign of life, too. */
export interface ReportTestRunItemsRequest {
  items: TestRunItemReport[];
}

/** A refused item never harms its neighbours. Lists that are too long and texts that are too long are cut, not refused. */
export interface ReportTestRunItemsAnswer {
  accepted: number;
  rejected: RejectedItem[];
}

export interface RejectedItem extends RefusedEntry {
  /** Absent when it has none that can be read. */
  item_no?: number;
}

/** The answer to `POST` {@link ROUTES.testRunHeartbeat}, whose body is `{}`. */
export interface TestRunHeartbeatAnswer {
  /** What it is now: `running`, or `finished` when somebody finished it. */
  status: TestRunStatus;
}

/**
 * `POST` {@link ROUTES.finishTestRun}. Every field may be absent. `POST` {@link ROUTES.resumeTestRun}, whose body is `{}`,
 * opens a run again, a finished one too. Both answer with the run.
 */
export interface FinishTestRunRequest {
  /** `interrupted`: it stopped early and may be resumed. `finished` when absent. */
  status?: 'finished' | 'interrupted';
  /** How many items there are in all; of a run without a selection. */
  expected_items?: number;
  /** What was left out, by reason, such as items that the service refused. */
  skipped?: Record<string, number>;
  /** What the run came to: its figures and the gate's decision. At most `LIMITS.summaryBytes` as JSON; given back as it is. */
  summary?: JsonObject;
}

export interface CreateDatasetRequest {
  /** A letter or a digit, then letters, digits, dots, dashes and underscores; 128 characters at most. */
  name: string;
  description?: string;
}

/**
 * `POST` {@link ROUTES.datasetVersions}: makes the next version of a dataset from an older one. Every field may be absent. A
 * request that changes nothing makes no version: the answer says how the base is.
 */
export interface AddDatasetVersionRequest {
  /** The version to start from: the latest when absent; 0 for none. */
  base?: number;
  items?: DatasetItemInput[];
  /** Adds calls of a key. Those that the base has already are left out. */
  from_calls?: { trace_function_key: string; selection: CallSelection };
  /**
   * Adds items of a run, with their baseline as the expected value. Those that the base has already are left out. All of
   * them when neither numbers nor a verdict are given.
   */
  from_test_run?: { id: string; item_nos?: number[]; verdict?: Verdict };
  /** Ids of items that the version does not take over; unknown ones change nothing. */
  remove?: string[];
  note?: string;
}

export interface AddDatasetVersionAnswer extends DatasetVersion {
  /** Entries that the base has already. */
  unchanged: number;
  /** Entries of `items` that were not taken. They never harm their neighbours. */
  rejected: RefusedEntry[];
  /** What `from_calls` left out, by reason. */
  skipped?: Record<string, number>;
}

/** A new version of a native function. The same source and entry as the newest version's make no new one. */
export interface PushFunctionRequest {
  source: string;
  /** A function of the source; the native function's own name when absent. */
  entry?: string;
  note?: string;
  /** Whether calls run it from now on; true when absent. */
  activate?: boolean;
}

export interface ActivateFunctionRequest {
  version: number;
}

export interface CreateIndexRequest {
  name: string;
  type: IndexType;
}

/** JSON and YAML are OpenAPI 3 descriptions, TypeScript is declarations (`.d.ts`). */
export const DOCUMENT_TYPES = [
  'text/markdown',
  'text/html',
  'text/plain',
  'text/x-rst',
  'text/asciidoc',
  'text/typescript',
  'application/json',
  'application/yaml',
] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

export interface DocumentUpload {
  source: string;
  title?: string;
  content: string;
  content_type: DocumentType;
}

export interface AddDocumentsRequest {
  documents: DocumentUpload[];
}

export interface AddDocumentsAnswer {
  added: number;
  unchanged: number;
  /** Those that could not be read. They never harm the others; what their sources held before stays. */
  skipped: SkippedDocument[];
}

export interface SkippedDocument {
  source: string;
  reason: string;
}

/** `GET` {@link ROUTES.indexDocuments} */
export interface ListDocumentsAnswer {
  /** Sorted by source. */
  items: { source: string; title: string }[];
}

/** `POST` {@link ROUTES.deleteDocuments} */
export interface DeleteDocumentsRequest {
  sources: string[];
}

export interface DeleteDocumentsAnswer {
  /** Those that were there. */
  deleted: number;
}

export interface IndexDetail extends IndexedService {
  document_count: number;
  created_at: string;
  /** Absent unless the documents come from an address. */
  remote?: Pick<IndexRemote, 'url' | 'refreshed_at'>;
}

export interface AccountDetail {
  id: string;
  name: string;
  created_at: string;
}
