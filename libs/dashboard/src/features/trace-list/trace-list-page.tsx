import { useInfiniteQuery } from '@tanstack/react-query';
import { useQueryFilter } from '../../shared/navigation/use-query-filter.js';
import { FirstTrace } from '../../shared/setup/first-trace.js';
import { LoadMore } from '../../shared/ui/load-more.js';
import { EmptyState, ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { type TraceFilter, tracesQuery } from './api/get-traces.js';
import { TraceFilters } from './trace-filters.js';
import { TraceTable } from './trace-table.js';

const FILTERS = ['trace_function_key', 'session_id', 'status'] as const satisfies (keyof TraceFilter)[];

export function TraceListPage() {
  const [filter, setFilter] = useQueryFilter(FILTERS);
  const query = useInfiniteQuery(tracesQuery(filter));
  const refresh = () => void query.refetch();
  return (
    <Page
      title="Traces"
      about="What your AI functions did, the newest first."
      actions={
        <button type="button" disabled={query.isFetching} onClick={refresh}>
          Refresh
        </button>
      }
    >
      <TraceFilters filter={filter} onChange={setFilter} />
      {query.isError && (
        <ErrorNotice title="The traces could not be loaded." error={query.error} onRetry={refresh} />
      )}
      {query.isPending && <Loading what="traces" />}
      {query.isSuccess && <Traces query={query} isFiltered={Object.values(filter).some(Boolean)} />}
    </Page>
  );
}

interface TracesProps {
  query: Parameters<typeof LoadMore>[0] & {
    data: { pages: { items: Parameters<typeof TraceTable>[0]['traces'] }[] };
  };
  isFiltered: boolean;
}

function Traces({ query, isFiltered }: TracesProps) {
  const traces = query.data.pages.flatMap((page) => page.items);
  if (traces.length > 0) {
    return (
      <>
        <TraceTable traces={traces} />
        <div>
          <LoadMore {...query} />
        </div>
      </>
    );
  }
  if (isFiltered) return <EmptyState title="No trace matches these filters." />;
  return (
    <EmptyState title="No traces yet.">
      <p>
        Trace one method of your application and call it: its trace appears here within a second. Create a key
        under “API keys” if you have none at hand.
      </p>
      <FirstTrace />
    </EmptyState>
  );
}
