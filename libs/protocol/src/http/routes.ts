import { INGEST_PATH } from './headers.js';

/** Paths of the service that our clients use. `:name` is a path parameter. */
export const ROUTES = {
  listIndexes: '/api/v1/developer/list-indexes',
  getContext: '/api/v1/developer/get-context',
  ingest: INGEST_PATH,
  traces: '/api/v1/traces',
  trace: '/api/v1/traces/:id',
  span: '/api/v1/traces/:id/spans/:span_id',
  /** The bytes of an image, a sound or a file. `:id` is their SHA-256. */
  media: '/api/v1/media/:id',
  descendants: '/api/v1/traces/:id/spans/:span_id/descendants',
  /** Complete traces, as lines of an ingest body. */
  export: '/api/v1/export',
  traceFunctionKeys: '/api/v1/trace-function-keys',
  /** Values for list filters. */
  facets: '/api/v1/facets',
  searchCalls: '/api/v1/calls/search',
  sessions: '/api/v1/sessions',
  scores: '/api/v1/scores',
  costs: '/api/v1/costs',
  metrics: '/api/v1/metrics',
  datasets: '/api/v1/datasets',
  dataset: '/api/v1/datasets/:name',
  datasetVersions: '/api/v1/datasets/:name/versions',
  /** `:version` is a number, or `latest`. */
  datasetItems: '/api/v1/datasets/:name/versions/:version/items',
  testRuns: '/api/v1/test-runs',
  testRun: '/api/v1/test-runs/:id',
  compareTestRun: '/api/v1/test-runs/:id/compare',
  testRunCalls: '/api/v1/test-runs/:id/calls',
  testRunItems: '/api/v1/test-runs/:id/items',
  testRunItem: '/api/v1/test-runs/:id/items/:item_no',
  /** `POST` accepts the item's new outcome, `DELETE` revokes that. */
  acceptTestRunItem: '/api/v1/test-runs/:id/items/:item_no/accept',
  testRunHeartbeat: '/api/v1/test-runs/:id/heartbeat',
  resumeTestRun: '/api/v1/test-runs/:id/resume',
  finishTestRun: '/api/v1/test-runs/:id/finish',
  /** Baseline scores by the hash of what evaluators saw. */
  baselineScores: '/api/v1/baseline-scores',
  functions: '/api/v1/functions',
  functionVersions: '/api/v1/functions/:name/versions',
  /** `:version` is a number, or `active`. */
  functionVersion: '/api/v1/functions/:name/versions/:version',
  activateFunction: '/api/v1/functions/:name/activate',
  indexes: '/api/v1/indexes',
  index: '/api/v1/indexes/:index_id',
  indexDocuments: '/api/v1/indexes/:index_id/documents',
  /** `GET` returns it, `POST` replaces it. */
  indexRemote: '/api/v1/indexes/:index_id/remote',
  deleteDocuments: '/api/v1/indexes/:index_id/documents/delete',
  apiKeys: '/api/v1/api-keys',
  apiKey: '/api/v1/api-keys/:id',
  rotateApiKey: '/api/v1/api-keys/:id/rotate',
  deletions: '/api/v1/deletions',
  /** `POST` returns what a deletion would remove, and deletes nothing. */
  deletionPreview: '/api/v1/deletions/preview',
  deletion: '/api/v1/deletions/:id',
  retention: '/api/v1/retention',
  /** `POST` returns what a rule would delete now, and sets none. */
  retentionPreview: '/api/v1/retention/preview',
  account: '/api/v1/account',
  /** For the operator. Exists only if an operator token is configured. */
  accounts: '/api/v1/accounts',
  auditLog: '/api/v1/audit-log',
  members: '/api/v1/members',
  member: '/api/v1/members/:id',
  memberRole: '/api/v1/members/:id/role',
  memberLink: '/api/v1/members/:id/link',
  /** Redeems a member's link and signs the browser in. */
  join: '/api/v1/join',
  browserSession: '/api/v1/browser-session',
  browserSessions: '/api/v1/browser-sessions',
  /** `DELETE` signs out one browser. */
  otherBrowserSession: '/api/v1/browser-sessions/:id',
  /** The OpenAPI description as JSON; {@link ROUTES.apiDocs} is its readable form. */
  openApi: '/api/openapi.json',
  apiDocs: '/api/docs',
  apiDocsStyle: '/api/docs/style.css',
  live: '/health/live',
  ready: '/health/ready',
} as const;

/** Replaces the `:name` parts of a route with percent-encoded values. */
export function routePath(route: string, parameters: Record<string, string>): string {
  return route.replace(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
}
