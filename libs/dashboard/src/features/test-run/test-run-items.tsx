import type { TestRunItemSummary, TestRunRecord } from '@dacapo/protocol';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { LoadMore } from '../../shared/ui/load-more.js';
import { EmptyState, ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { LIVE_INTERVAL_MS } from './api/test-run.js';
import { type ShownItems, testRunItemsQuery } from './api/test-run-items.js';
import { TestRunItem } from './test-run-item.js';
import styles from './test-run-items.module.css';

/** Later items start folded even when they differ, because each open item sends a request. */
const MAX_INITIALLY_OPEN = 5;
const LOADED_AHEAD_PX = 600;

interface TestRunItemsProps {
  run: TestRunRecord;
  shown: ShownItems;
}

export function TestRunItems({ run, shown }: TestRunItemsProps) {
  const { queryKey, ...options } = testRunItemsQuery(run.id, shown);
  const query = useInfiniteQuery({
    ...options,
    // A status change refetches the items, so that the last ones are not missed.
    queryKey: [...queryKey, run.status],
    placeholderData: keepPreviousData,
    refetchInterval: run.status === 'running' && LIVE_INTERVAL_MS,
  });
  if (query.isPending) return <Loading what="the calls" />;
  if (query.isError) {
    return (
      <ErrorNotice
        title="Could not load the calls."
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  }
  const items = query.data.pages.flatMap((page) => page.items);
  if (items.length === 0)
    return <NoItems run={run} isFiltered={shown.verdict !== '' || shown.score !== ''} />;
  return <ItemList testRunId={run.id} items={items} isBusy={query.isPlaceholderData} query={query} />;
}

interface ItemListProps {
  testRunId: string;
  items: readonly TestRunItemSummary[];
  isBusy: boolean;
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}

/** Loads more calls when the end of the list comes near. The browser skips the rows outside of the window, see the styles. */
function ItemList({ testRunId, items, isBusy, query }: ItemListProps) {
  const end = useRef<HTMLDivElement>(null);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  useEffect(() => {
    if (end.current === null || !hasNextPage || isFetchingNextPage) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting === true) fetchNextPage();
      },
      { rootMargin: `${LOADED_AHEAD_PX}px` },
    );
    observer.observe(end.current);
    return () => {
      observer.disconnect();
    };
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return (
    <>
      <ol className={styles.items} aria-label="Replayed calls" aria-busy={isBusy}>
        {items.map((item, index) => (
          <TestRunItem
            key={`${item.item_no}/${item.repetition ?? 0}`}
            testRunId={testRunId}
            item={item}
            mayOpen={index < MAX_INITIALLY_OPEN}
          />
        ))}
      </ol>
      <div ref={end}>
        <LoadMore {...query} />
      </div>
    </>
  );
}

function NoItems({ run, isFiltered }: { run: TestRunRecord; isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No calls match this filter." />;
  if (run.status === 'running') return <Loading what="the first calls" />;
  if (run.selection?.unknown_key) {
    return (
      <EmptyState title="No call was recorded with this key.">
        <p>
          Check the spelling of <code>{run.trace_function_key}</code>.
          {run.selection.similar_key !== undefined && (
            <>
              {' '}
              Did you mean <code>{run.selection.similar_key}</code>?
            </>
          )}
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No calls were replayed.">
      <p>No call was recorded with the key of this run, or the selected traces contain none.</p>
    </EmptyState>
  );
}
