import type { JsonObject } from '../json/json-value.js';

/** Who gave a score: a person, a program such as the application itself, or an evaluator that ran on its own. */
export const AUTHOR_KINDS = ['person', 'program', 'evaluator'] as const;
export type AuthorKind = (typeof AUTHOR_KINDS)[number];

export interface Author {
  kind: AuthorKind;
  name: string;
}

/** What is said: higher is better; text sorts into kinds; `null`, it does not apply. */
export type ScoreValue = number | boolean | string | null;

/** What an evaluator says of one item of a test run; it is part of the item's report. */
export interface ItemScore {
  name: string;
  value: ScoreValue;
  /** A word for it, such as `helpful`. */
  label?: string;
  /** Why. */
  explanation?: string;
  metadata?: JsonObject;
}

/** What an evaluator says of the baseline of an item. */
export interface BaselineScore extends ItemScore {
  /** SHA-256 of the evaluator's version. Absent: the score is not reused. */
  version?: string;
  /** It is that of an earlier run, in which the same version saw the same: the evaluator was not asked. */
  reused?: true;
}

/**
 * What belongs to one score: a trace, a span of it, a session, or an item of a test run. Exactly one: `trace_id` (with or
 * without `span_id`), `session_id`, or `test_run_id` with `item_no`.
 */
export interface ScoreTarget {
  trace_id?: string;
  /** Beside `trace_id`: this span of it. */
  span_id?: string;
  session_id?: string;
  test_run_id?: string;
  /** Beside `test_run_id`. */
  item_no?: number;
  /** Beside `item_no`; 0 when absent. */
  repetition?: number;
}

/**
 * A score that somebody gave. Scores are only ever added: of those of one target, name and author the latest counts, by
 * `created_at`, then by the greater `id`, in whatever order they arrive.
 */
export interface ScoreRecord extends ItemScore, ScoreTarget {
  /** A UUID. A score that is sent twice is stored once: what came first under an id stays. */
  id: string;
  author: Author;
  /** ISO 8601 in UTC, with microseconds. */
  created_at: string;
}
