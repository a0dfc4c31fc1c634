/** A page of a list. */
export interface Range<After = Position> {
  limit: number;
  /** The sort key of the last row of the page before. */
  after?: After;
}

/** The sort key of lists: newest first, and greatest id first among rows with the same time. */
export type Position = readonly [at: string, id: string];
