import type { Page as PageOf, TraceSummary } from '@dacapo/protocol';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, useSearch } from 'wouter';
import { rememberTraceList } from '../../shared/navigation/last-trace-list.js';
import { paths } from '../../shared/navigation/paths.js';
import { useQueryFilter } from '../../shared/navigation/use-query-filter.js';
import { FirstTrace } from '../../shared/setup/first-trace.js';
import { LoadMore } from '../../shared/ui/load-more.js';
import { EmptyState, ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { RefreshButton } from '../../shared/ui/refresh-button.js';
import { type TraceFilter, tracesQuery } from './api.js';
import { TraceFilters } from './trace-filters.js';
import { TraceTable } from './trace-table.js';

const FILTERS = ['trace_function_key', 'session_id', 'status'] as const satisfies (keyof TraceFilter)[];

/** An empty list looks for its first trace by itself. */
const EMPTY_INTERVAL_MS = 2_000;

export function TraceListPage() {
  const [filter, setFilter] = useQueryFilter(FILTERS);
  const query = useInfiniteQuery({
    ...tracesQuery(filter),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.length === 1 && isLastAndEmpty(data.pages[0]) ? EMPTY_INTERVAL_MS : false,
  });
  const search = useSearch();
  useEffect(() => {
    rememberTraceList(search);
  }, [search]);
  const traces = query.data?.pages.flatMap((page) => page.items) ?? [];
  const isFiltered = Object.values(filter).some(Boolean);
  // The service looks through a part of the traces for a page, which may hold none that matches.
  const { hasNextPage, isFetching, isError, fetchNextPage } = query;
  const isLooking = traces.length === 0 && hasNextPage && !isError;
  useEffect(() => {
    if (isLooking && !isFetching) void fetchNextPage();
  }, [isLooking, isFetching, fetchNextPage]);
  const isEmpty = query.isSuccess && !query.isPlaceholderData && traces.length === 0 && !hasNextPage;
  const refresh = () => void query.refetch();
  return (
    <Page
      title="Traces"
      about="What your AI functions did, the newest first."
      actions={<RefreshButton onClick={refresh} />}
    >
      <TraceFilters filter={filter} onChange={setFilter} />
      {query.isError && (
        <ErrorNotice title="The traces could not be loaded." error={query.error} onRetry={refresh} />
      )}
      {(query.isPending || isLooking) && <Loading what="traces" />}
      {isEmpty && (isFiltered ? <EmptyState title="No trace matches these filters." /> : <NoTraces />)}
      {traces.length > 0 && <TraceTable traces={traces} isOutdated={query.isPlaceholderData} />}
      <div>
        <LoadMore {...query} />
      </div>
    </Page>
  );
}

function isLastAndEmpty(page: PageOf<TraceSummary> | undefined): boolean {
  return page?.items.length === 0 && page.next_cursor === undefined;
}

function NoTraces() {
  return (
    <EmptyState title="No traces yet.">
      <p>
        Trace one method of your application and call it: its trace appears here by itself. Create a key under{' '}
        <Link href={paths.apiKeys()}>API keys</Link> if you have none at hand.
      </p>
      <FirstTrace />
    </EmptyState>
  );
}
