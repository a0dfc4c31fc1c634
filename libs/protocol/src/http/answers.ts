/** The body of every answer that is no success (SPEC 2.5). */
export interface ErrorBody {
  detail: string;
  status_code: number;
}

/** The envelope of the developer endpoints (SPEC 2.1). */
export interface Envelope<T> {
  ok: boolean;
  error: string | null;
  data: T;
}

/** One page of a list; `next_cursor` is absent on the last. Cursors are opaque. */
export interface Page<T> {
  items: T[];
  next_cursor?: string;
}

/** One entry of a list that was not taken. */
export interface RefusedEntry {
  /** Its place in the list, from 0. */
  index: number;
  detail: string;
}
