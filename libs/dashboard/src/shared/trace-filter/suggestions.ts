import type { FacetValues } from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../http/client.js';
import type { FilterField } from './trace-filter.js';

/** Suggested values of a field that start with `prefix`, those of the newest traces first. */
export const suggestionsQuery = (
  suggests: NonNullable<FilterField['suggests']>,
  prefix: string,
  path: string,
) =>
  queryOptions({
    queryKey: ['facets', suggests, prefix, path],
    queryFn: async ({ signal }): Promise<FacetValues> => {
      if (suggests === 'key') {
        const { items } = await client.traces.listKeys({}, { signal });
        return { items: items.map(({ trace_function_key: key }) => key) };
      }
      if (suggests !== 'session')
        return client.traces.listFacets({ of: suggests, prefix, path, limit: SUGGESTIONS }, { signal });
      const { items } = await client.traces.listSessions({ limit: SUGGESTIONS }, { signal });
      return { items: items.map(({ session_id }) => session_id) };
    },
    // Without suggestions, the reader can still type a value.
    retry: false,
  });

const SUGGESTIONS = 100;
