import {
  type ApiKeySummary,
  type BrowserSessionSummary,
  type CreateApiKeyRequest,
  type CreatedApiKey,
  type EndBrowserSessionsAnswer,
  type RotateApiKeyRequest,
  type RotatedApiKey,
  routePath,
  ROUTES,
} from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { request } from '../../shared/http/request.js';

export const apiKeysQuery = queryOptions({
  queryKey: [ROUTES.apiKeys],
  queryFn: ({ signal }) => request<{ items: ApiKeySummary[] }>(ROUTES.apiKeys, { signal }),
});

export function createApiKey(key: CreateApiKeyRequest): Promise<CreatedApiKey> {
  return request(ROUTES.apiKeys, { method: 'POST', body: key });
}

export function rotateApiKey(id: string, rotation: RotateApiKeyRequest): Promise<RotatedApiKey> {
  return request(routePath(ROUTES.rotateApiKey, { id }), { method: 'POST', body: rotation });
}

export function revokeApiKey(id: string): Promise<void> {
  return request(routePath(ROUTES.apiKey, { id }), { method: 'DELETE' });
}

export const browserSessionsQuery = queryOptions({
  queryKey: [ROUTES.browserSessions],
  queryFn: ({ signal }) => request<{ items: BrowserSessionSummary[] }>(ROUTES.browserSessions, { signal }),
});

export function endBrowserSession(id: string): Promise<void> {
  return request(routePath(ROUTES.otherBrowserSession, { id }), { method: 'DELETE' });
}

export function endAllBrowserSessions(): Promise<EndBrowserSessionsAnswer> {
  return request(ROUTES.browserSessions, { method: 'DELETE' });
}
