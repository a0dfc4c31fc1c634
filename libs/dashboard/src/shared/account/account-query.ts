import { type CallerDetail, ROUTES } from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '../http/api-error.js';
import { request } from '../http/request.js';

/** The account of the browser session, or `null` when signed out. */
export const accountQuery = queryOptions({
  queryKey: [ROUTES.browserSession],
  queryFn: ({ signal }) =>
    request<CallerDetail>(ROUTES.browserSession, { signal }).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }),
  staleTime: 60_000,
});
