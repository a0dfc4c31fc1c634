import type { FacetValues, TracesRequest } from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../../shared/http/client.js';
import { pagedQuery } from '../../shared/http/page-query.js';
import { startOfRange } from '../../shared/navigation/time-range.js';
import type { FilterField, TraceFilter } from './trace-filter.js';

const PAGE_SIZE = 50;

/** Traces of the application. Replayed traces are excluded unless the filter names a test run. */
export const tracesQuery = (filter: TraceFilter) =>
  pagedQuery(['traces', filter], (page, options) =>
    client.traces.list({ ...toRequest(filter), ...page }, options),
  );

/** The filter comes from the page's address: the service refuses what it does not know. */
function toRequest({ range = '', ...filter }: TraceFilter): TracesRequest {
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
    queryKey: ['facets', suggests, prefix, path],
    queryFn: async ({ signal }): Promise<FacetValues> => {
      if (suggests !== 'session')
        return client.traces.listFacets({ of: suggests, prefix, path, limit: SUGGESTIONS }, { signal });
      const { items } = await client.traces.listSessions({ limit: SUGGESTIONS }, { signal });
      return { items: items.map(({ session_id }) => session_id) };
    },
    // Without suggestions, the reader can still type a value.
    retry: false,
  });

const SUGGESTIONS = 100;
