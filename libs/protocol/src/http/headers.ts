/** Headers of requests to the service. */
export const HEADERS = {
  /** Carries the account's key (SPEC 5). */
  apiKey: 'api-key',
  /** The service stores each batch id once. */
  batchId: 'dacapo-batch-id',
} as const;

/** The one route that recording needs, apart from `ROUTES`, which only clients of the API load. */
export const INGEST_PATH = '/api/v1/ingest';
