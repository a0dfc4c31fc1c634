import type { JsonObject, JsonValue } from '../json/json-value.js';
import type { ScoreRecord } from '../records/score.js';
import type { TraceLabel } from '../records/trace-facts.js';
import type { SpanLink, SpanRecord, SpanStatus, SpanType, StartedBy } from '../records/span.js';
import type { Page } from './answers.js';
import type { SpanUsage, TraceUsage } from './usage.js';

/** The call that describes a trace if its root does not. */
export interface FirstCall {
  name: string;
  input_preview?: string;
  output_preview?: string;
  /** The beginning of its error's name and message. */
  error_preview?: string;
}

/** A trace in a list, without payloads. */
export interface TraceSummary {
  id: string;
  session_id?: string;
  user_id?: string;
  environment?: string;
  release?: string;
  /** In alphabetical order. */
  tags?: string[];
  trace_function_key: string;
  name: string;
  type: SpanType;
  status: SpanStatus;
  started_at: string;
  ended_at?: string;
  duration_ms?: number;
  span_count: number;
  error_count: number;
  /** Input and output tokens of its counted model calls (see {@link TraceUsage}). Absent if none reported any. */
  tokens?: number;
  /** Their cost in US dollars, as far as prices are known. Absent if no price is known. */
  cost_usd?: number;
  input_preview?: string;
  output_preview?: string;
  /** The beginning of the root's error name and message. */
  error_preview?: string;
  /** Only in lists: the first call with the requested key, or without a key the first call inside a request. */
  first_call?: FirstCall;
  test_run_id?: string;
  /** Usage of its model calls. In lists it may lag behind the latest records. Absent if no call reported usage. */
  usage?: TraceUsage;
}

/** A span in a waterfall, without payloads. */
export interface SpanSummary extends Omit<
  SpanRecord,
  | 'trace_id'
  | 'span_data'
  | 'test_run_id'
  | 'source_span_id'
  | TraceLabel
  | 'tags'
  | 'trace_metadata'
  | 'trace_contexts'
> {
  /** The function did not run: a replay answered the call from the recording. */
  mocked?: true;
  /** The beginning of its error's name and message. */
  error_preview?: string;
  /** Only on spans of type `llm`. */
  usage?: SpanUsage;
}

export interface TraceDetail extends TraceSummary {
  /** The already ended span in whose context the trace began, from its root. */
  started_by?: StartedBy;
  /** Spans of other services that requested its work, from its root, at most `LIMITS.links`. */
  links?: SpanLink[];
  metadata: JsonObject;
  contexts: Record<string, JsonValue>;
  /** One page of spans, sorted by start. */
  spans: SpanSummary[];
  /** `cursor` of the next page of spans. Absent on the last page. */
  next_cursor?: string;
  /** Scores of the trace and its spans: the latest for each name and author, newest first, at most `LIMITS.scores`. */
  scores?: ScoreRecord[];
}

/** One span with its payload. */
export interface SpanDetail extends SpanRecord {
  /** Cost of a span of type `llm`. See {@link SpanUsage}. */
  cost_usd?: number;
  price_version?: string;
  /** The latest for each name and author, newest first. */
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

/** Fields of `TraceSummary` that lists filter and sort by. */
export const TRACE_AMOUNTS = ['duration_ms', 'tokens', 'cost_usd'] as const;
export type TraceAmount = (typeof TRACE_AMOUNTS)[number];

/** Newest first, or largest first. Traces without the amount come last. */
export const TRACE_SORTS = ['time', ...TRACE_AMOUNTS] as const;
export type TraceSort = (typeof TRACE_SORTS)[number];

export interface TracePage extends Page<TraceSummary> {
  /** In a text search: records received since then may be missing for a few seconds. Absent: nothing is missing. */
  text_indexed_until?: string;
  /** In a text search: how many spans of the account have longer texts. Words after this many characters of a field are not found. */
  text_cut?: { spans: number; after_characters: number };
}

/**
 * Fields whose values can be listed: names and models of spans, labels and tags of traces, paths and values of metadata, names of
 * scores.
 */
export const FACETS = [
  'name',
  'model',
  'tag',
  'user_id',
  'environment',
  'release',
  'metadata_path',
  'metadata_value',
  'score',
] as const;
export type Facet = (typeof FACETS)[number];

/** Values for list filters, in the form that the filters accept. */
export interface FacetValues {
  /** Values of the newest traces first; names of scores in alphabetical order. */
  items: string[];
  /** There are more values: narrow them down with `prefix`. */
  has_more?: true;
}
