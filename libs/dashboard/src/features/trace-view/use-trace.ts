import type { TraceDetail } from '@dacapo/protocol';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { tracePagesQuery } from '../../shared/spans/api.js';

/** Returns the first spans at once, and all spans after the last page: a growing tree would move under the reader. */
export function useTrace(id: string) {
  const client = useQueryClient();
  const query = useInfiniteQuery(tracePagesQuery(id));
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  const first = data?.pages[0];
  /** Absent while there are more. */
  const all = hasNextPage ? undefined : data?.pages;
  const trace = useMemo(
    (): TraceDetail | undefined =>
      first && { ...first, spans: all?.flatMap(({ spans }) => spans) ?? first.spans },
    [first, all],
  );
  const loaded = data?.pages.reduce((sum, { spans }) => sum + spans.length, 0) ?? 0;
  const refresh = () => {
    void query.refetch();
    // The selected span may have ended since.
    void client.invalidateQueries({ queryKey: ['span', id] });
  };
  return { query, trace, loaded, isWhole: all !== undefined, refresh };
}
