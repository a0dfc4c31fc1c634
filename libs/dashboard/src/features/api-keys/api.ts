import { type ApiKeySummary, type CreatedApiKey, routePath, ROUTES } from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { request } from '../../shared/http/request.js';

export const apiKeysQuery = queryOptions({
  queryKey: [ROUTES.apiKeys],
  queryFn: ({ signal }) => request<{ items: ApiKeySummary[] }>(ROUTES.apiKeys, { signal }),
});

export function createApiKey(name: string): Promise<CreatedApiKey> {
  return request(ROUTES.apiKeys, { method: 'POST', body: { name } });
}

export function revokeApiKey(id: string): Promise<void> {
  return request(routePath(ROUTES.apiKey, { id }), { method: 'DELETE' });
}
