/** The body of every error response (SPEC 2.5). */
export interface ErrorBody {
  detail: string;
  status_code: number;
}

/** One page of a list. `next_cursor` is absent on the last page. Cursors are opaque. */
export interface Page<T> {
  items: T[];
  next_cursor?: string;
}
