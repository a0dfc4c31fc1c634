import type { TracePage } from '@dacapo/protocol';
import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { mergeLiveRows } from '../../shared/live/merge-live-rows.js';
import { useNewest } from '../../shared/live/use-newest.js';
import type { TraceFilter } from '../../shared/trace-filter/trace-filter.js';
import { listTraces, sortOf, tracesQuery } from './api.js';

/** Polls while the list is empty, or while traces that match a text search are not indexed yet. */
const EMPTY_INTERVAL_MS = 2_000;

/** The traces of a filter, page by page, and how many have arrived since. */
export function useLiveTraces(filter: TraceFilter, isLive: boolean) {
  const client = useQueryClient();
  const query = useInfiniteQuery({
    ...tracesQuery(filter),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.length === 1 && isIncomplete(data.pages[0]) ? EMPTY_INTERVAL_MS : false,
  });
  const { data, hasNextPage, isError, isFetching, isPlaceholderData, fetchNextPage } = query;
  const loaded = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  const isFollowing =
    isLive &&
    sortOf(filter) === 'time' &&
    loaded.length > 0 &&
    !isPlaceholderData &&
    !isIncomplete(data?.pages[0]);
  const { queryKey } = tracesQuery(filter);
  const newest = useNewest(queryKey, (options) => listTraces(filter, {}, options), isFollowing);
  const { rows, arrived } = useMemo(
    () => mergeLiveRows(loaded, newest?.items ?? [], ({ id }) => id),
    [loaded, newest],
  );
  // The service searches a part of the traces per page, so a page can be empty before the last.
  const isSearching = loaded.length === 0 && hasNextPage && !isError;
  useEffect(() => {
    if (isSearching && !isFetching) void fetchNextPage();
  }, [isSearching, isFetching, fetchNextPage]);
  const showArrived = () => {
    if (newest === undefined) return;
    client.setQueryData(queryKey, { pages: [newest], pageParams: [undefined] });
  };
  return { query, rows, arrived: arrived.length, isSearching, showArrived };
}

/** Whether the list is empty or not fully indexed. */
function isIncomplete(page: TracePage | undefined): boolean {
  if (page?.text_indexed_until !== undefined) return true;
  return page?.items.length === 0 && page.next_cursor === undefined;
}
