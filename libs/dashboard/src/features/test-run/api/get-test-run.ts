import { routePath, ROUTES, type TestRunRecord } from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { request } from '../../../shared/http/request.js';

export const LIVE_INTERVAL_MS = 1_500;

/** A test run, asked for again and again while it is running. */
export const testRunQuery = (id: string) =>
  queryOptions({
    queryKey: [ROUTES.testRun, id],
    queryFn: ({ signal }) => request<TestRunRecord>(routePath(ROUTES.testRun, { id }), { signal }),
    refetchInterval: (query) => (query.state.data?.status === 'running' ? LIVE_INTERVAL_MS : false),
  });
