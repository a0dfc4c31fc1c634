import {
  type DeletionRecord,
  type Page,
  type RetentionPolicy,
  ROUTES,
  type SetRetentionRequest,
} from '@dacapo/protocol';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { request } from '../../shared/http/request.js';

const PROGRESS_INTERVAL_MS = 1_000;

/** Deletions, newest first. Polls while one is not done. */
export const deletionsQuery = infiniteQueryOptions({
  queryKey: [ROUTES.deletions],
  queryFn: ({ pageParam, signal }) =>
    request<Page<DeletionRecord>>(ROUTES.deletions, { query: { limit: 20, cursor: pageParam }, signal }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page) => page.next_cursor,
  refetchInterval: ({ state: { data } }) =>
    data?.pages.some(({ items }) => items.some(({ state }) => state !== 'done'))
      ? PROGRESS_INTERVAL_MS
      : false,
});

export const retentionQuery = queryOptions({
  queryKey: [ROUTES.retention],
  queryFn: ({ signal }) => request<RetentionPolicy>(ROUTES.retention, { signal }),
});

export function setRetention(rule: SetRetentionRequest): Promise<RetentionPolicy> {
  return request(ROUTES.retention, { method: 'POST', body: rule });
}

export function deleteAccount(): Promise<void> {
  return request(ROUTES.account, { method: 'DELETE' });
}

const DAY_MS = 24 * 3600 * 1000;

/** The time `days` days ago. */
export function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString();
}
