import { type Page, routePath, ROUTES, type TestRunItemSummary } from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { request } from '../../../shared/http/request.js';

/** The trace that another one played again; `null` when its test run no longer knows it. */
export const sourceTraceIdQuery = (testRunId: string, newTraceId: string) =>
  queryOptions({
    queryKey: [ROUTES.testRunItems, testRunId, 'source', newTraceId],
    queryFn: ({ signal }) => findSourceTraceId(testRunId, newTraceId, signal),
    staleTime: 60_000,
  });

async function findSourceTraceId(testRunId: string, newTraceId: string, signal: AbortSignal) {
  const path = routePath(ROUTES.testRunItems, { id: testRunId });
  const query = { new_trace_id: newTraceId, limit: 1 };
  const page = await request<Page<TestRunItemSummary>>(path, { query, signal });
  return page.items[0]?.source_trace_id ?? null;
}
