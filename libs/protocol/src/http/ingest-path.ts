/** The one route that recording needs, apart from `ROUTES`, which only clients of the API load. */
export const INGEST_PATH = '/api/v1/ingest';
