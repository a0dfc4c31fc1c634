import type { TracePage } from '@dacapo/protocol';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { Link, useSearch, useSearchParams } from 'wouter';
import { rememberTraceList } from '../../shared/navigation/last-trace-list.js';
import { paths } from '../../shared/navigation/paths.js';
import { FirstTrace } from '../../shared/setup/first-trace.js';
import { readFilter, type TraceFilter } from '../../shared/trace-filter/trace-filter.js';
import { LoadMore } from '../../shared/ui/load-more.js';
import { EmptyState, ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { RefreshButton } from '../../shared/ui/refresh-button.js';
import { formatQuantity } from '../../shared/format/format-count.js';
import { Time } from '../../shared/ui/time.js';
import { tracesQuery } from './api.js';
import { TraceFilters } from './trace-filters.js';
import { TraceTable } from './trace-table.js';

/** Polls while the list is empty, or while traces that match a text search are not indexed yet. */
const EMPTY_INTERVAL_MS = 2_000;

export function TraceListPage() {
  const [filter, changeFilter] = useTraceFilter();
  const query = useInfiniteQuery({
    ...tracesQuery(filter),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.length === 1 && shouldPoll(data.pages[0]) ? EMPTY_INTERVAL_MS : false,
  });
  const search = useSearch();
  useEffect(() => {
    rememberTraceList(search);
  }, [search]);
  const traces = query.data?.pages.flatMap((page) => page.items) ?? [];
  const indexedUntil = query.data?.pages[0]?.text_indexed_until;
  const cut = query.data?.pages[0]?.text_cut;
  const isFiltered = Object.keys(filter).some((name) => name !== 'sort');
  // The service searches a part of the traces per page, so a page can be empty before the last.
  const { hasNextPage, isFetching, isError, fetchNextPage } = query;
  const isSearching = traces.length === 0 && hasNextPage && !isError;
  useEffect(() => {
    if (isSearching && !isFetching) void fetchNextPage();
  }, [isSearching, isFetching, fetchNextPage]);
  const isEmpty = query.isSuccess && !query.isPlaceholderData && traces.length === 0 && !hasNextPage;
  const refresh = () => void query.refetch();
  return (
    <Page
      title="Traces"
      about="Recorded calls of your AI functions."
      actions={<RefreshButton onClick={refresh} />}
    >
      <TraceFilters filter={filter} onChange={changeFilter} />
      {query.isError && (
        <ErrorNotice title="Could not load the traces." error={query.error} onRetry={refresh} />
      )}
      {indexedUntil !== undefined && (
        <p className="muted" role="status">
          Traces since <Time at={indexedUntil} zone /> are still being indexed and may be missing. The list
          updates automatically.
        </p>
      )}
      {cut !== undefined && (
        <p className="muted" role="status">
          {formatQuantity(cut.spans, 'span')} with long texts. Search covers only the first{' '}
          {cut.after_characters.toLocaleString('en')} characters of each input, output, error and prompt.
        </p>
      )}
      {(query.isPending || isSearching) && <Loading what="traces" />}
      {isEmpty && (isFiltered ? <NoMatch /> : <NoTraces />)}
      {traces.length > 0 && (
        <TraceTable traces={traces} search={filter['text'] ?? ''} isOutdated={query.isPlaceholderData} />
      )}
      <div>
        <LoadMore {...query} />
      </div>
    </Page>
  );
}

/** The filter in the address and its setter. Empty and `undefined` values are removed. */
function useTraceFilter(): [TraceFilter, (change: TraceFilter) => void] {
  const [parameters, setParameters] = useSearchParams();
  const filter = useMemo(() => readFilter(parameters), [parameters]);
  const changeFilter = (change: TraceFilter) => {
    setParameters((previous) => {
      const next = new URLSearchParams(previous);
      for (const [name, value] of Object.entries(change)) {
        if (value) next.set(name, value);
        else next.delete(name);
      }
      return next;
    });
  };
  return [filter, changeFilter];
}

/** Whether the list is empty or not fully indexed. */
function shouldPoll(page: TracePage | undefined): boolean {
  if (page?.text_indexed_until !== undefined) return true;
  return page?.items.length === 0 && page.next_cursor === undefined;
}

function NoMatch() {
  return (
    <EmptyState title="No trace matches these filters.">
      <p>
        Remove or widen a filter. Text, name, type, kind, level and model must match in the same span. All
        filters except text match whole values.
      </p>
    </EmptyState>
  );
}

function NoTraces() {
  return (
    <EmptyState title="No traces yet.">
      <p>
        Trace one method of your application and call it. Its trace appears here automatically. If you have no
        key, create one under <Link href={paths.apiKeys()}>API keys</Link>.
      </p>
      <FirstTrace />
    </EmptyState>
  );
}
