/** The page addresses. Ids are percent-encoded only here. */
export const paths = {
  overview: () => '/',
  traces: (filter: Record<string, string> = {}) => withQuery('/traces', filter),
  trace: (traceId: string, spanId?: string) =>
    withQuery(`/traces/${encodeURIComponent(traceId)}`, spanId === undefined ? {} : { span: spanId }),
  /**
   * @param other the trace to compare with
   * @param calls a span of each trace: only these and their descendants are compared
   */
  compareTraces: (traceId: string, other: string, calls?: { call: string; with_call: string }) =>
    withQuery(`/traces/${encodeURIComponent(traceId)}/compare`, { with: other, ...calls }),
  sessions: () => '/sessions',
  session: (sessionId: string) => `/sessions/${encodeURIComponent(sessionId)}`,
  functions: (filter: Record<string, string> = {}) => withQuery('/functions', filter),
  function: (key: string, filter: Record<string, string> = {}) =>
    withQuery(`/functions/${encodeURIComponent(key)}`, filter),
  testRuns: () => '/test-runs',
  testRun: (testRunId: string) => `/test-runs/${encodeURIComponent(testRunId)}`,
  /** @param other the run to compare with; the page asks for it when absent */
  compareTestRun: (testRunId: string, other?: string) =>
    withQuery(
      `/test-runs/${encodeURIComponent(testRunId)}/compare`,
      other === undefined ? {} : { with: other },
    ),
  compareTestRuns: (ids: readonly string[]) => withQuery('/runs/compare', { ids: ids.join(',') }),
  datasets: () => '/datasets',
  /** @param version the latest when absent */
  dataset: (name: string, version?: number) =>
    withQuery(
      `/datasets/${encodeURIComponent(name)}`,
      version === undefined ? {} : { version: String(version) },
    ),
  review: () => '/review',
  indexes: () => '/indexes',
  apiKeys: () => '/api-keys',
  members: () => '/members',
  shareLinks: () => '/share-links',
  data: () => '/data',
  /** The target of invitation links. */
  join: () => '/join',
  auditLog: () => '/audit-log',
} as const;

/** The key or id in an address, such as that of `paths.function`. The router decodes only a part of it: a slash stays `%2F`. */
export function readPathId(pathname: string): string {
  const [, , id = ''] = pathname.split('/');
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

function withQuery(path: string, query: Record<string, string>): string {
  const text = new URLSearchParams(query).toString();
  return text ? `${path}?${text}` : path;
}
