import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client } from '../../shared/http/client.js';
import { pagedQuery } from '../../shared/http/page-query.js';

const PROGRESS_INTERVAL_MS = 1_000;

/** Deletions, newest first. Polls while one is not done. */
export const deletionsQuery = infiniteQueryOptions({
  ...pagedQuery(['deletions'], (page, options) => client.deletions.list({ limit: 20, ...page }, options)),
  refetchInterval: ({ state: { data } }) =>
    data?.pages.some(({ items }) => items.some(({ state }) => state !== 'done'))
      ? PROGRESS_INTERVAL_MS
      : false,
});

export const retentionQuery = queryOptions({
  queryKey: ['retention'],
  queryFn: ({ signal }) => client.retention.get({}, { signal }),
});

export const setRetention = client.retention.set;

const DAY_MS = 24 * 3600 * 1000;

/** The time `days` days ago. */
export function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString();
}
