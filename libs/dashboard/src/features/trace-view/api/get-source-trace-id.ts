import { type Page, routePath, ROUTES, type TestRunItemRecord } from '@dacapo/protocol';
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
  let cursor: string | undefined;
  do {
    const page: Page<TestRunItemRecord> = await request(path, { query: { limit: 200, cursor }, signal });
    const item = page.items.find((candidate) => candidate.new_trace_id === newTraceId);
    if (item) return item.source_trace_id;
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return null;
}
