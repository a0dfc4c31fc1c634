import { ROUTES, type TraceFunctionKeySummary } from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { request } from '../http/request.js';

export const traceFunctionKeysQuery = queryOptions({
  queryKey: [ROUTES.traceFunctionKeys],
  queryFn: ({ signal }) =>
    request<{ items: TraceFunctionKeySummary[] }>(ROUTES.traceFunctionKeys, { signal }),
});
