/** Part of a list. */
export interface Range<After = Position> {
  limit: number;
  /** The sort key of the last row that is known. */
  after?: After;
}

/** The sort key of lists that have the newest first, and of rows of one time those with the greatest id. */
export type Position = readonly [at: string, id: string];
