/** A line of an ingest body that was not taken, counted from 1. */
export interface Rejection {
  line: number;
  id?: string;
  detail: string;
}

export interface IngestAnswer {
  accepted: number;
  rejected: Rejection[];
  /** The batch id was seen before; nothing was stored again. */
  duplicate?: true;
  /** Of those accepted, records of traces and sessions that were deleted: they came late, and are not stored. */
  dropped?: number;
}
