import type { ChangesAnswer } from '@dacapo/protocol';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { Redirect } from 'wouter';
import { formatQuantity } from '../../shared/format/format-count.js';
import { FunctionTable } from '../../shared/functions/function-table.js';
import { client } from '../../shared/http/client.js';
import type { FirstRequests } from '../../shared/http/first-requests.js';
import { paths } from '../../shared/navigation/paths.js';
import { startOfRange } from '../../shared/navigation/time-range.js';
import { readQueryFilter, useQueryFilter } from '../../shared/navigation/use-query-filter.js';
import { EmptyState, ErrorNotice, LoadingRows } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { RefreshButton } from '../../shared/ui/refresh-button.js';
import { Time } from '../../shared/ui/time.js';
import { TimeRangeSelect } from '../../shared/ui/time-range-select.js';
import { ChangeList } from './change-list.js';
import styles from './overview.module.css';

const DEFAULT_RANGE = '7d';
const PARAMETERS = ['period', 'against', 'by'] as const;

const changesQuery = ({ period, against }: Record<'period' | 'against', string>) =>
  queryOptions({
    queryKey: ['changes', period, against],
    queryFn: ({ signal }): Promise<ChangesAnswer> =>
      client.changes.find(
        {
          since: startOfRange(period || DEFAULT_RANGE),
          against: against === 'period' ? 'period' : 'release',
        },
        { signal },
      ),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });

const anyTraceQuery = queryOptions({
  queryKey: ['any trace'],
  queryFn: async ({ signal }) => (await client.traces.list({ limit: 1 }, { signal })).items.length > 0,
});

export const firstRequests: FirstRequests = (queries, { searchParams }) => [
  queries.query(changesQuery(readQueryFilter(searchParams, PARAMETERS))),
];

/** What failed, slowed down or got expensive, and below it all functions. */
export function OverviewPage() {
  const [filter, setFilter] = useQueryFilter(PARAMETERS);
  const range = filter.period || DEFAULT_RANGE;
  const query = useQuery(changesQuery(filter));
  const answer = query.data;
  const isEmpty = query.isSuccess && !query.isPlaceholderData && answer?.functions.length === 0;
  const anyTrace = useQuery({ ...anyTraceQuery, enabled: isEmpty });
  // The trace list shows how to send the first one.
  if (anyTrace.data === false) return <Redirect to={paths.traces()} replace />;
  return (
    <Page
      title="Overview"
      about={answer && <Compared answer={answer} />}
      actions={<RefreshButton onClick={() => void query.refetch()} />}
    >
      <div className="bar-fields">
        <TimeRangeSelect
          range={range}
          onChange={(next) => {
            setFilter({ period: next === DEFAULT_RANGE ? '' : next });
          }}
        />
        <label className="field">
          <span>Compared with</span>
          <select
            value={filter.against}
            onChange={({ target: { value } }) => {
              setFilter({ against: value });
            }}
          >
            <option value="">The release before</option>
            <option value="period">The period before</option>
          </select>
        </label>
      </div>
      {query.isError && (
        <ErrorNotice
          title="Could not load the changes."
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isPending && <LoadingRows what="changes" />}
      {isEmpty && <EmptyState title="No calls in this period." />}
      {answer && answer.functions.length > 0 && (
        <>
          <section className={styles.changes} aria-label="What got worse" aria-busy={query.isPlaceholderData}>
            <h2>What got worse</h2>
            <ChangeList answer={answer} />
            <Gaps answer={answer} isReleaseWanted={filter.against !== 'period'} />
          </section>
          <h2>All functions</h2>
          <FunctionTable
            functions={answer.functions}
            sort={filter.by}
            isOfReleases={answer.against === 'release'}
            isOutdated={query.isPlaceholderData}
            onSort={(by) => {
              setFilter({ by: by === 'calls' ? '' : by }, { replace: true });
            }}
          />
        </>
      )}
    </Page>
  );
}

function Compared({ answer: { against, current, baseline } }: { answer: ChangesAnswer }) {
  if (against === 'release')
    return (
      <>
        Release {current.release}, since <Time at={current.since} />, compared with release {baseline.release}
      </>
    );
  return (
    <>
      Since <Time at={current.since} />, compared with the period before
    </>
  );
}

/** What the comparison does not include. */
function Gaps({ answer, isReleaseWanted }: { answer: ChangesAnswer; isReleaseWanted: boolean }) {
  const gaps = [
    ...(isReleaseWanted && answer.against === 'period'
      ? [
          answer.releases_unread
            ? 'Too many traces to tell releases apart, so this compares periods. Choose a shorter period.'
            : 'No release began in this time, so this compares periods.',
        ]
      : []),
    ...(answer.failed_traces_unread ? ['New errors are looked for in the newest 200 failed traces.'] : []),
    ...(answer.waiting_batches > 0
      ? [`Not counted yet: ${formatQuantity(answer.waiting_batches, 'batch', 'batches')}.`]
      : []),
  ];
  return gaps.length === 0 ? null : <p className="muted">{gaps.join(' ')}</p>;
}
