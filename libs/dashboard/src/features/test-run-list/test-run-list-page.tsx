import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { paths } from '../../shared/navigation/paths.js';
import { readQueryFilter, useQueryFilter } from '../../shared/navigation/use-query-filter.js';
import { KeySelect } from '../../shared/trace-function-key/key-select.js';
import { LoadMore } from '../../shared/ui/load-more.js';
import { EmptyState, ErrorNotice, LoadingRows } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { RefreshButton } from '../../shared/ui/refresh-button.js';
import { Snippet } from '../../shared/ui/snippet.js';
import { TestRunTable } from '../../shared/test-run/test-run-table.js';
import type { FirstRequests } from '../../shared/http/first-requests.js';
import { usePageKeys } from '../../shared/keys/page-keys.js';
import { runsQuery } from '../../shared/test-run/queries.js';

const PARAMETERS = ['trace_function_key'] as const;

const REPLAY = `import { ReplayService } from '@dacapo/nestjs';

const run = await replayService.replay(AnswerService, 'answer', { limit: 50 });
console.log(run.testRunUrl);`;

export const firstRequests: FirstRequests = (queries, { searchParams }) => [
  queries.infiniteQuery(runsQuery(readQueryFilter(searchParams, PARAMETERS).trace_function_key)),
];

export function TestRunListPage() {
  const [filter, setFilter] = useQueryFilter(PARAMETERS);
  const key = filter.trace_function_key;
  const query = useInfiniteQuery(runsQuery(key));
  const runs = query.data?.pages.flatMap((page) => page.items) ?? [];
  const refresh = () => void query.refetch();
  const [selected, setSelected] = useState<readonly string[]>([]);
  const select = (id: string) => {
    setSelected((ids) => (ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id]));
  };
  const [, navigate] = useLocation();
  const comparison = selected.length > 1 ? paths.compareTestRuns(selected) : undefined;
  usePageKeys([
    {
      key: 'x',
      action: 'select the row',
      run: () => {
        document.activeElement?.closest('tr')?.querySelector<HTMLElement>('input[type=checkbox]')?.click();
      },
    },
    {
      key: 'c',
      action: 'compare the selected runs',
      run: () => {
        if (comparison !== undefined) navigate(comparison);
      },
    },
  ]);
  return (
    <Page
      title="Runs"
      about="Recorded calls and dataset items, replayed with a new version of a function."
      actions={
        <>
          {comparison !== undefined && (
            <Link className="button" href={comparison} aria-keyshortcuts="c">
              Compare {selected.length} runs <kbd aria-hidden="true">c</kbd>
            </Link>
          )}
          <RefreshButton onClick={refresh} />
        </>
      }
    >
      <div className="bar-fields">
        <KeySelect
          value={key}
          onChange={(trace_function_key) => {
            setFilter({ trace_function_key });
          }}
        />
      </div>
      {query.isError && (
        <ErrorNotice title="Could not load the runs." error={query.error} onRetry={refresh} />
      )}
      {query.isPending && <LoadingRows what="runs" />}
      {query.isSuccess && runs.length === 0 && <NoTestRuns isFiltered={key !== ''} />}
      {runs.length > 0 && <TestRunTable runs={runs} selection={{ selected, onSelect: select }} />}
      <div>
        <LoadMore {...query} />
      </div>
    </Page>
  );
}

function NoTestRuns({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No runs with this key." />;
  return (
    <EmptyState title="No runs yet.">
      <p>Change a traced method, replay its recorded calls with the new version, and see what changed.</p>
      <Snippet title="In your NestJS application" code={REPLAY} />
    </EmptyState>
  );
}
