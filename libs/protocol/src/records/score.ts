import type { JsonObject } from '../json/json-value.js';

/** Who created a score: a person, a program such as the application, or an evaluator. */
export const AUTHOR_KINDS = ['person', 'program', 'evaluator'] as const;
export type AuthorKind = (typeof AUTHOR_KINDS)[number];

export interface Author {
  kind: AuthorKind;
  name: string;
}

/** Numbers: higher is better. Text: a category. `null`: the score does not apply. */
export type ScoreValue = number | boolean | string | null;

/** An evaluator's score of one item of a test run, sent with the item's report. */
export interface ItemScore {
  name: string;
  value: ScoreValue;
  /** A short label for the value, such as `helpful`. */
  label?: string;
  /** Why the item has this score. */
  explanation?: string;
  metadata?: JsonObject;
}

/** An evaluator's score of an item's baseline. */
export interface BaselineScore extends ItemScore {
  /** SHA-256 of the evaluator's version. Absent: later runs do not reuse the score. */
  version?: string;
  /** Reused from an earlier run in which the same evaluator version saw the same values. */
  reused?: true;
}

/**
 * What a score rates: a trace, one of its spans, a session, or an item of a test run. Set exactly one of `trace_id` (with or
 * without `span_id`), `session_id`, or `test_run_id` with `item_no`.
 */
export interface ScoreTarget {
  trace_id?: string;
  /** With `trace_id`: a span of the trace. */
  span_id?: string;
  session_id?: string;
  test_run_id?: string;
  /** Required with `test_run_id`. */
  item_no?: number;
  /** With `item_no`. Default: 0. */
  repetition?: number;
}

/**
 * A stored score. Scores are append-only: for each target, name and author the latest one counts, by `created_at` and then
 * by the greater `id`. The order of arrival does not matter.
 */
export interface ScoreRecord extends ItemScore, ScoreTarget {
  /** A UUID. The first score with an id is stored; later ones with the same id are ignored. */
  id: string;
  author: Author;
  /** ISO 8601 in UTC, with microseconds. */
  created_at: string;
}
