import type { Page } from '@dacapo/protocol';
import { infiniteQueryOptions } from '@tanstack/react-query';

/** An infinite query over a paged list, by cursor. */
export function pagedQuery<P extends Page<unknown>>(
  queryKey: readonly unknown[],
  list: (page: { cursor: string | undefined }, options: { signal: AbortSignal }) => Promise<P>,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => list({ cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor,
  });
}
