import type { JsonObject, JsonValue } from '../json/json-value.js';
import type { ScoreRecord } from '../records/score.js';
import type { TraceLabel } from '../records/trace-facts.js';
import type { SpanLink, SpanRecord, SpanStatus, SpanType, StartedBy } from '../records/span.js';
import type { Page } from './answers.js';
import type { SpanUsage, TraceUsage } from './usage.js';

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
  user_id?: string;
  environment?: string;
  release?: string;
  /** By the alphabet. */
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
  | 'trace_id'
  | 'span_data'
  | 'test_run_id'
  | 'source_span_id'
  | TraceLabel
  | 'tags'
  | 'trace_metadata'
  | 'trace_contexts'
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
  /** The spans of other services that asked for its work, as its root says, at most `LIMITS.links`. */
  links?: SpanLink[];
  metadata: JsonObject;
  contexts: Record<string, JsonValue>;
  /** In the order in which they started: a page of them. */
  spans: SpanSummary[];
  /** Where the next page of spans begins, as `cursor`; absent on the last one. */
  next_cursor?: string;
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

/** Amounts of a trace by which lists are filtered and sorted: names of fields of `TraceSummary`. */
export const TRACE_AMOUNTS = ['duration_ms', 'tokens', 'cost_usd'] as const;
export type TraceAmount = (typeof TRACE_AMOUNTS)[number];

/** The newest first, or the greatest first; where they do not tell the amount, last. */
export const TRACE_SORTS = ['time', ...TRACE_AMOUNTS] as const;
export type TraceSort = (typeof TRACE_SORTS)[number];

export interface TracePage extends Page<TraceSummary> {
  /** Where a text was asked for: what was received from then on may be missing, for some seconds. Absent: nothing is. */
  text_indexed_until?: string;
  /** With a text: so many spans of the account have longer texts, whose words after so many characters of a field are not found. */
  text_cut?: { spans: number; after_characters: number };
}

/**
 * What values can be listed of: names and models of spans, texts and tags of traces, names and values of metadata, names of scores of traces.
 *
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

/** Values that filters of lists may take, as they take them. */
export interface FacetValues {
  /** Those of the newest traces first; names of scores by the alphabet. */
  items: string[];
  /** There are more: ask for those that begin with a `prefix`. */
  has_more?: true;
}
