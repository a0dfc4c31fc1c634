/** The value: for numbers, higher is better; a text is a label; `null` means "does not apply". */
export type ScoreValue = number | boolean | string | null;

/** Details of a score, in addition to its name and value. */
export interface ScoreDetails {
  /** A word for the value, such as `helpful`. */
  readonly label?: string | undefined;
  /** The reason. */
  readonly explanation?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The author. The latest score of a name and author counts. Default: the application itself,
   * `{ kind: 'program', name: 'application' }`.
   */
  readonly author?: { readonly kind: 'person' | 'program' | 'evaluator'; readonly name: string } | undefined;
}

/** A score to record. */
export interface ScoreInput extends ScoreDetails {
  readonly name: string;
  readonly value: ScoreValue;
}

/**
 * What a score belongs to: a trace, a span of it, a session, or an item of a test run. Exactly one of `traceId`, `sessionId`
 * and `testRunId`.
 */
export interface ScoreTarget {
  readonly traceId?: string | undefined;
  /** With `traceId`: a span of the trace. */
  readonly spanId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly testRunId?: string | undefined;
  /** With `testRunId`: the item. */
  readonly itemNo?: number | undefined;
  /** With `itemNo`: the repetition. Default: 0. */
  readonly repetition?: number | undefined;
}
