/** A condition on traces or calls, as lists, selections, the SDK, the CLI, the query line, the dashboard and documents read it. */
export interface Condition {
  /**
   * - `text`, `choice`, `list` (several texts), `number`, `amount` (a number of at least 0), `time`, `flag`.
   * - `scalar`: a text, a number, true or false. `words`: a text search. `metadata`: values by path.
   */
  readonly kind:
    'text' | 'choice' | 'list' | 'number' | 'amount' | 'time' | 'flag' | 'scalar' | 'words' | 'metadata';
  /** Whether it is about the trace or about a call in it. */
  readonly of: 'trace' | 'call';
  /** Only lists of traces, or only selections of calls, have it. Default: both. */
  readonly in?: 'lists' | 'selections';
  /** Its name in the query line. */
  readonly word: string;
  /** How the query line compares with it. Default: `:`. */
  readonly operator?: '>=' | '<=' | '>' | '<';
  /** Its CLI option with the argument. Default: its name with dashes. */
  readonly flag?: string;
  /** Completes "traces …" (of a trace) or "calls …" (of a call). */
  readonly text: string;
  /** Completes "traces …" where lists differ. */
  readonly textInLists?: string;
  /** More for documents, in whole sentences. */
  readonly note?: string;
  /** Its name in the dashboard, which edits conditions of one name together. Default: the word. */
  readonly label?: string;
  readonly choices?: readonly string[];
  /** Metrics filter and group by it, and comparisons show it: as a field of traces, or of single spans. */
  readonly groups?: 'traces' | 'spans';
  /** What the dashboard suggests values from. */
  readonly suggests?:
    'name' | 'model' | 'session' | 'user_id' | 'tag' | 'environment' | 'release' | 'score' | 'key';
}

/** An amount of a trace: lists filter by its bounds, which are inclusive, and sort by it. */
export interface Amount {
  /** Completes "traces …", with the bound behind. */
  readonly text: string;
  readonly word: string;
  readonly unit: 'ms' | 'US$' | 'tokens' | 'spans';
  /** A list that is sorted by it. */
  readonly sorted: string;
}
