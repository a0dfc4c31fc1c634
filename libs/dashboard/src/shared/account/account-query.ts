import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '../http/api-error.js';
import { client } from '../http/client.js';

/** The account of the browser session, or `null` when signed out. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) =>
    client.browserSessions.get({}, { signal }).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }),
  staleTime: 60_000,
});
