import { ROUTES, type TracePage } from '@dacapo/protocol';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { request } from '../../shared/http/request.js';
import { sinceOf } from '../../shared/navigation/time-range.js';
import type { TraceFilter } from './trace-filter.js';

const PAGE_SIZE = 50;

/** What the application did; what test runs played again stands with its test run, unless it is asked for. */
export const tracesQuery = (filter: TraceFilter) =>
  infiniteQueryOptions({
    queryKey: [ROUTES.traces, filter],
    queryFn: ({ pageParam, signal }) =>
      request<TracePage>(ROUTES.traces, {
        query: { ...queryOf(filter), cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor,
  });

function queryOf({ range = '', ...filter }: TraceFilter): Record<string, string | number> {
  const since = sinceOf(range);
  return {
    ...(filter['test_run_id'] === undefined && { replays: 'exclude' }),
    ...(since !== undefined && { since }),
    ...filter,
    limit: PAGE_SIZE,
  };
}
