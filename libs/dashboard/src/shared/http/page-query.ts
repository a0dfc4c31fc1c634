import type { Page } from '@dacapo/protocol';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { request } from './request.js';

/** An infinite query over a paged list, by cursor. */
export function pageQuery<T>(path: string, filter: Record<string, string | number | undefined> = {}) {
  return infiniteQueryOptions({
    queryKey: [path, filter],
    queryFn: ({ pageParam, signal }) =>
      request<Page<T>>(path, { query: { ...filter, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor,
  });
}
