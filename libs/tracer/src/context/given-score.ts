/** What is said: higher is better; text sorts into kinds; `null`, it does not apply. */
export type ScoreValue = number | boolean | string | null;

/** What else is said of something, beside a name and a value. */
export interface ScoreDetails {
  /** A word for the value, such as `helpful`. */
  readonly label?: string | undefined;
  /** Why. */
  readonly explanation?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Who says so. Of the scores of one name and author the latest counts. Default: the application itself,
   * `{ kind: 'program', name: 'application' }`.
   */
  readonly author?: { readonly kind: 'person' | 'program' | 'evaluator'; readonly name: string } | undefined;
}

/** A score that somebody gives. */
export interface GivenScore extends ScoreDetails {
  readonly name: string;
  readonly value: ScoreValue;
}

/**
 * What a score belongs to: a trace, a span of it, a session, or an item of a test run. Exactly one of `traceId`, `sessionId`
 * and `testRunId`.
 */
export interface ScoreTarget {
  readonly traceId?: string | undefined;
  /** Beside `traceId`: this span of it. */
  readonly spanId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly testRunId?: string | undefined;
  /** Beside `testRunId`. */
  readonly itemNo?: number | undefined;
  /** Beside `itemNo`. Default: 0. */
  readonly repetition?: number | undefined;
}
