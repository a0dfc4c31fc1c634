/** A rejected line of an ingest body, counted from 1. */
export interface Rejection {
  line: number;
  id?: string;
  detail: string;
}

export interface IngestAnswer {
  accepted: number;
  rejected: Rejection[];
  /** The service stored this batch id before, so it stored nothing again. */
  duplicate?: true;
  /** How many accepted records belong to deleted traces or sessions. They are not stored. */
  dropped?: number;
}
