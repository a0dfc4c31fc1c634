import { type ApiKeySummary, ROUTES } from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { request } from '../../../shared/http/request.js';

export const apiKeysQuery = queryOptions({
  queryKey: [ROUTES.apiKeys],
  queryFn: ({ signal }) => request<{ items: ApiKeySummary[] }>(ROUTES.apiKeys, { signal }),
});
