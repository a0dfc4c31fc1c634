import { type FacetValues, type Page, ROUTES, type SessionSummary, type TracePage } from '@dacapo/protocol';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { request } from '../../shared/http/request.js';
import { startOfRange } from '../../shared/navigation/time-range.js';
import type { FilterField, TraceFilter } from './trace-filter.js';

const PAGE_SIZE = 50;

/** Traces of the application. Replayed traces are excluded unless the filter names a test run. */
export const tracesQuery = (filter: TraceFilter) =>
  infiniteQueryOptions({
    queryKey: [ROUTES.traces, filter],
    queryFn: ({ pageParam, signal }) =>
      request<TracePage>(ROUTES.traces, {
        query: { ...toQuery(filter), cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor,
  });

function toQuery({ range = '', ...filter }: TraceFilter): Record<string, string | number> {
  const since = startOfRange(range);
  return {
    ...(filter['test_run_id'] === undefined && { replays: 'exclude' }),
    ...(since !== undefined && { since }),
    ...filter,
    limit: PAGE_SIZE,
  };
}

/** Suggested values of a field that start with `prefix`, those of the newest traces first. */
export const suggestionsQuery = (
  suggests: NonNullable<FilterField['suggests']>,
  prefix: string,
  path: string,
) =>
  queryOptions({
    queryKey: [ROUTES.facets, suggests, prefix, path],
    queryFn: async ({ signal }): Promise<FacetValues> => {
      if (suggests !== 'session') {
        const query = { of: suggests, prefix, path, limit: SUGGESTIONS };
        return request<FacetValues>(ROUTES.facets, { query, signal });
      }
      const query = { limit: SUGGESTIONS };
      const { items } = await request<Page<SessionSummary>>(ROUTES.sessions, { query, signal });
      return { items: items.map(({ session_id }) => session_id) };
    },
    // Without suggestions, the reader can still type a value.
    retry: false,
  });

const SUGGESTIONS = 100;
