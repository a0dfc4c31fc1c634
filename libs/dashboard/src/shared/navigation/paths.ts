/** Where the pages are. Every id in an address is percent-encoded here and nowhere else. */
export const paths = {
  traces: (filter: Record<string, string> = {}) => withQuery('/', filter),
  trace: (traceId: string, spanId?: string) =>
    withQuery(`/traces/${encodeURIComponent(traceId)}`, spanId === undefined ? {} : { span: spanId }),
  /**
   * @param other the trace beside it
   * @param calls spans of both that belong together: only these and what is inside are compared
   */
  compareTraces: (traceId: string, other: string, calls?: { call: string; with_call: string }) =>
    withQuery(`/traces/${encodeURIComponent(traceId)}/compare`, { with: other, ...calls }),
  sessions: () => '/sessions',
  /** Not `/metrics`, where Prometheus asks the service for its own. */
  metrics: () => '/metrics-by-key',
  testRuns: () => '/test-runs',
  testRun: (testRunId: string) => `/test-runs/${encodeURIComponent(testRunId)}`,
  /** @param other the run beside it; it is chosen there when absent */
  compareTestRun: (testRunId: string, other?: string) =>
    withQuery(
      `/test-runs/${encodeURIComponent(testRunId)}/compare`,
      other === undefined ? {} : { with: other },
    ),
  datasets: () => '/datasets',
  /** @param version the latest when absent */
  dataset: (name: string, version?: number) =>
    withQuery(
      `/datasets/${encodeURIComponent(name)}`,
      version === undefined ? {} : { version: String(version) },
    ),
  indexes: () => '/indexes',
  apiKeys: () => '/api-keys',
  members: () => '/members',
  data: () => '/data',
  /** Where the link of a member leads. */
  join: () => '/join',
  auditLog: () => '/audit-log',
} as const;

function withQuery(path: string, query: Record<string, string>): string {
  const text = new URLSearchParams(query).toString();
  return text ? `${path}?${text}` : path;
}
