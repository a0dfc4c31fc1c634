import type { ScoreRecord } from '../records/score.js';
import type { SpanRecord } from '../records/span.js';
import type { TraceLabel } from '../records/trace-facts.js';
import type { SpanUsage } from './usage.js';

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

/** One span with its payload. */
export interface SpanDetail extends SpanRecord {
  /** Cost of a span of type `llm`. See {@link SpanUsage}. */
  cost_usd?: number;
  price_version?: string;
  /** The latest for each name and author, newest first. */
  scores?: ScoreRecord[];
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
