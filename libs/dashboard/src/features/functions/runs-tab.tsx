import { useInfiniteQuery } from '@tanstack/react-query';
import { runsQuery } from '../../shared/test-run/queries.js';
import { TestRunTable } from '../../shared/test-run/test-run-table.js';
import { LoadMore } from '../../shared/ui/load-more.js';
import { EmptyState, ErrorNotice, LoadingRows } from '../../shared/ui/notice.js';

/** The runs that replayed calls of the function, newest first. */
export function RunsTab({ functionKey }: { functionKey: string }) {
  const query = useInfiniteQuery(runsQuery(functionKey));
  if (query.isError) return <ErrorNotice title="Could not load the runs." error={query.error} />;
  if (query.isPending) return <LoadingRows what="runs" />;
  const runs = query.data.pages.flatMap((page) => page.items);
  if (runs.length === 0) return <EmptyState title="No runs with this key." />;
  return (
    <>
      <TestRunTable runs={runs} isOfOneKey />
      <LoadMore {...query} />
    </>
  );
}
