/** Headers of requests to the service. */
export const HEADERS = {
  /** Carries the account's key (SPEC 5). */
  apiKey: 'api-key',
  /** The service stores each batch id once. */
  batchId: 'dacapo-batch-id',
} as const;

/** Of the one route that recording needs. It is apart from the other routes, whose schemas only clients of the API load. */
export const INGEST_PATH = '/api/v1/ingest';
