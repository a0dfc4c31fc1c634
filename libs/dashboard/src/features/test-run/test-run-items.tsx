import { type TestRunRecord, type Verdict, VERDICTS } from '@dacapo/protocol';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { LoadMore } from '../../shared/ui/load-more.js';
import { EmptyState, ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { LIVE_INTERVAL_MS } from './api/get-test-run.js';
import { testRunItemsQuery } from './api/get-test-run-items.js';
import { TestRunItem } from './test-run-item.js';
import styles from './test-run-items.module.css';

interface TestRunItemsProps {
  run: TestRunRecord;
  /** Empty when all are shown. */
  verdict: string;
}

export function TestRunItems({ run, verdict }: TestRunItemsProps) {
  const isRunning = run.status === 'running';
  const { queryKey, ...options } = testRunItemsQuery(run.id);
  const query = useInfiniteQuery({
    ...options,
    // The end of a run makes its items new, so that the last of them are not missed.
    queryKey: [...queryKey, run.status],
    placeholderData: keepPreviousData,
    refetchInterval: isRunning ? LIVE_INTERVAL_MS : false,
  });
  const loaded = query.data?.pages.flatMap((page) => page.items) ?? [];
  const items = isVerdict(verdict) ? loaded.filter((item) => item.verdict === verdict) : loaded;

  const { hasNextPage, isFetching, fetchNextPage } = query;
  const lacksSome = isVerdict(verdict) && items.length < run.totals[verdict];
  useEffect(() => {
    if (lacksSome && hasNextPage && !isFetching) void fetchNextPage();
  }, [lacksSome, hasNextPage, isFetching, fetchNextPage]);

  if (query.isPending) return <Loading what="the calls" />;
  if (query.isError) {
    return (
      <ErrorNotice
        title="The calls could not be loaded."
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  }
  if (items.length === 0 && !(lacksSome && hasNextPage))
    return <NoItems isRunning={isRunning} isFiltered={isVerdict(verdict)} />;
  return (
    <>
      <ol className={styles.items} aria-label="Replayed calls">
        {items.map((item) => (
          <TestRunItem key={item.item_no} item={item} />
        ))}
      </ol>
      <div>
        <LoadMore {...query} hasNextPage={hasNextPage && !lacksSome} />
      </div>
    </>
  );
}

function NoItems({ isRunning, isFiltered }: { isRunning: boolean; isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No call has this verdict." />;
  if (isRunning) return <Loading what="the first calls" />;
  return (
    <EmptyState title="This test run replayed nothing.">
      <p>No call was recorded under its key, or none of the traces that it was asked for has one.</p>
    </EmptyState>
  );
}

function isVerdict(text: string): text is Verdict {
  return VERDICTS.some((verdict) => verdict === text);
}
