/** The page addresses. Ids are percent-encoded only here. */
export const paths = {
  traces: (filter: Record<string, string> = {}) => withQuery('/', filter),
  trace: (traceId: string, spanId?: string) =>
    withQuery(`/traces/${encodeURIComponent(traceId)}`, spanId === undefined ? {} : { span: spanId }),
  /**
   * @param other the trace to compare with
   * @param calls a span of each trace: only these and their descendants are compared
   */
  compareTraces: (traceId: string, other: string, calls?: { call: string; with_call: string }) =>
    withQuery(`/traces/${encodeURIComponent(traceId)}/compare`, { with: other, ...calls }),
  sessions: () => '/sessions',
  /** Not `/metrics`, which Prometheus scrapes. */
  metrics: () => '/metrics-by-key',
  testRuns: () => '/test-runs',
  testRun: (testRunId: string) => `/test-runs/${encodeURIComponent(testRunId)}`,
  /** @param other the run to compare with; the page asks for it when absent */
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
  /** The target of invitation links. */
  join: () => '/join',
  auditLog: () => '/audit-log',
} as const;

function withQuery(path: string, query: Record<string, string>): string {
  const text = new URLSearchParams(query).toString();
  return text ? `${path}?${text}` : path;
}
