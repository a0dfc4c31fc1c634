/** The body of every error response (SPEC 2.5). */
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

/** One page of a list. `next_cursor` is absent on the last page. Cursors are opaque. */
export interface Page<T> {
  items: T[];
  next_cursor?: string;
}

/** A rejected entry of a list. */
export interface RefusedEntry {
  /** Its index in the list, from 0. */
  index: number;
  detail: string;
}
