import type { TestRunRecord } from '@dacapo/protocol';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { LoadMore } from '../../shared/ui/load-more.js';
import { EmptyState, ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { LIVE_INTERVAL_MS } from './api/get-test-run.js';
import { testRunItemsQuery } from './api/get-test-run-items.js';
import { TestRunItem } from './test-run-item.js';
import styles from './test-run-items.module.css';

interface TestRunItemsProps {
  run: TestRunRecord;
  verdict: string;
}

export function TestRunItems({ run, verdict }: TestRunItemsProps) {
  const isRunning = run.status === 'running';
  const { queryKey, ...options } = testRunItemsQuery(run.id, verdict);
  const query = useInfiniteQuery({
    ...options,
    // The end of a run makes its items new, so that the last of them are not missed.
    queryKey: [...queryKey, run.status],
    placeholderData: keepPreviousData,
    refetchInterval: isRunning ? LIVE_INTERVAL_MS : false,
  });
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
  const items = query.data.pages.flatMap((page) => page.items);
  if (items.length === 0) return <NoItems isRunning={isRunning} isFiltered={verdict !== ''} />;
  return (
    <>
      <ol className={styles.items} aria-label="Replayed calls">
        {items.map((item) => (
          <TestRunItem key={item.item_no} item={item} />
        ))}
      </ol>
      <div>
        <LoadMore {...query} />
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
