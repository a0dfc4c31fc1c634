import { parseAge, type TraceSort, type TracesRequest } from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../../shared/http/client.js';
import { pagedQuery } from '../../shared/http/page-query.js';
import type { UsualDurations } from '../../shared/usual-duration/compare-with-usual.js';
import type { TraceFilter } from '../../shared/trace-filter/trace-filter.js';

const PAGE_SIZE = 50;

/** Traces of the application. Replayed traces are excluded unless the filter says otherwise. */
export const tracesQuery = (filter: TraceFilter) =>
  pagedQuery(['traces', filter], (page, options) => listTraces(filter, page, options));

export const listTraces = (
  filter: TraceFilter,
  page: { cursor?: string | undefined },
  { signal }: { signal: AbortSignal },
) => client.traces.list({ ...toRequest(filter), ...page, limit: PAGE_SIZE }, { signal });

/** How long calls of each key took in the last seven days. */
export const usualDurationsQuery = queryOptions({
  queryKey: ['usual durations'],
  queryFn: async ({ signal }): Promise<UsualDurations> => {
    const { items } = await client.metrics.read({}, { signal });
    return Object.fromEntries(
      items.flatMap(({ trace_function_key: key, calls, p50_ms, p95_ms }) =>
        key === undefined || p50_ms === undefined || p95_ms === undefined
          ? []
          : [[key, { calls, p50_ms, p95_ms }]],
      ),
    );
  },
  staleTime: 5 * 60_000,
  retry: false,
});

/** The filter comes from the page's address: the service refuses what it does not know. */
export function toRequest(filter: TraceFilter): TracesRequest {
  const { since, until } = filter;
  return {
    ...(filter['test_run_id'] === undefined && { replays: 'exclude' }),
    ...filter,
    ...(since !== undefined && { since: toTime(since) }),
    ...(until !== undefined && { until: toTime(until) }),
  };
}

/** The order of a filter: newest first unless it names another one. */
export function sortOf({ sort = 'time' }: TraceFilter): TraceSort {
  return sort as TraceSort;
}

function toTime(text: string): string {
  const ageMs = parseAge(text);
  return ageMs === undefined ? text : new Date(Date.now() - ageMs).toISOString();
}
