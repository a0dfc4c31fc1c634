import {
  type ComparedFigures,
  type FunctionSummary,
  isMetricsGroup,
  METRICS_GROUPS,
  type MetricsItem,
} from '@dacapo/protocol';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { formatQuantity } from '../../shared/format/format-count.js';
import { formatShare } from '../../shared/functions/figures.js';
import { FunctionTable } from '../../shared/functions/function-table.js';
import type { FirstRequests } from '../../shared/http/first-requests.js';
import { paths } from '../../shared/navigation/paths.js';
import { readQueryFilter, useQueryFilter } from '../../shared/navigation/use-query-filter.js';
import { ConditionFilters } from '../../shared/trace-filter/condition-filters.js';
import { FILTER_KINDS } from '../../shared/trace-filter/trace-filter.js';
import { EmptyState, ErrorNotice, LoadingRows } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { RefreshButton } from '../../shared/ui/refresh-button.js';
import { TimeRangeSelect } from '../../shared/ui/time-range-select.js';
import { chooseBucket, DEFAULT_RANGE, metricsQuery, nativeFunctionsQuery, readMetricsFilter } from './api.js';
import { GroupSelect, GroupTable } from './group-table.js';
import { MeasuredChart } from './measured-chart.js';
import { buildSeries } from './series.js';
import { Sparkline } from './time-chart.js';
import { Totals } from './totals.js';

const PARAMETERS = ['range', 'replays', 'measure', 'sort', 'group', ...METRICS_GROUPS] as const;
const KINDS = FILTER_KINDS.filter(({ id }) => isMetricsGroup(id));
const ALL = 'all traces';

type Filter = Record<(typeof PARAMETERS)[number], string>;

export const firstRequests: FirstRequests = (queries, { searchParams }) => {
  const { totals, totalsBefore, keys, keysBefore, drawn } = firstQueries(
    readQueryFilter(searchParams, PARAMETERS),
  );
  // The rows first: the service answers in this order.
  return [
    ...[keys, totals, keysBefore, totalsBefore, drawn].map((one) => queries.query(one)),
    queries.query(nativeFunctionsQuery),
  ];
};

function firstQueries(filter: Filter) {
  const chosen = readMetricsFilter(filter);
  const bucket = chooseBucket(chosen.range);
  return {
    chosen,
    bucket,
    totals: metricsQuery({ ...chosen, key: '' }),
    totalsBefore: metricsQuery({ ...chosen, key: '', isBefore: true }),
    keys: metricsQuery(chosen),
    keysBefore: metricsQuery({ ...chosen, isBefore: true }),
    drawn: metricsQuery({ ...chosen, bucket, key: '' }),
  };
}

/** All functions with their figures in a period that ends now, and the difference from the period before. */
export function FunctionListPage() {
  const [filter, setFilter] = useQueryFilter(PARAMETERS);
  const { chosen, bucket, ...first } = firstQueries(filter);
  const { range, replays, conditions } = chosen;
  const totals = useQuery(first.totals);
  const totalsBefore = useQuery(first.totalsBefore);
  const keys = useQuery(first.keys);
  const keysBefore = useQuery(first.keysBefore);
  // The lines in the rows come after the rows.
  const byTime = useQuery({ ...metricsQuery({ ...chosen, bucket }), enabled: keys.isSuccess });
  const drawn = useQuery(first.drawn);
  const native = useQuery(nativeFunctionsQuery);
  const client = useQueryClient();
  const refresh = () => void client.invalidateQueries({ queryKey: ['metrics'] });
  const failed = [totals, keys, byTime, drawn].find(({ isError }) => isError);
  const seriesByKey = useMemo(() => {
    const answer = byTime.data;
    return (key: string) => (answer ? buildSeries(answer, bucket, key) : []);
  }, [byTime.data, bucket]);
  const isFiltered = Object.keys(conditions).length > 0;
  const functions = pair(keys.data?.items ?? [], keysBefore.data?.items ?? [], isFiltered ? [] : native.data);
  const [whole] = totals.data?.items ?? [];
  const isEmpty = keys.isSuccess && functions.length === 0 && !keys.isPlaceholderData;
  return (
    <Page
      title="Functions"
      about={keys.data && <About waiting={keys.data.waiting_batches} error={keys.data.relative_error} />}
      actions={<RefreshButton onClick={refresh} />}
    >
      <ConditionFilters
        label="Filter functions"
        kinds={KINDS}
        filter={conditions}
        cleared={Object.keys(conditions)}
        onChange={setFilter}
      >
        <TimeRangeSelect
          range={range}
          onChange={(next) => {
            setFilter({ range: next === DEFAULT_RANGE ? '' : next });
          }}
        />
        <label className="field">
          <span>Runs</span>
          <select
            value={replays}
            onChange={({ target: { value } }) => {
              setFilter({ replays: value === 'exclude' ? '' : value });
            }}
          >
            <option value="exclude">Without runs</option>
            <option value="include">With runs</option>
            <option value="only">Only runs</option>
          </select>
        </label>
        <GroupSelect
          group={filter.group}
          onChange={(group) => {
            setFilter({ group });
          }}
        />
      </ConditionFilters>
      {failed?.error && (
        <ErrorNotice title="Could not load the functions." error={failed.error} onRetry={refresh} />
      )}
      {keys.isPending && <LoadingRows what="functions" />}
      {isEmpty && <NoCalls isFiltered={isFiltered} />}
      {whole && (
        <>
          <Totals of={ALL} unit="Traces" item={whole} baseline={totalsBefore.data?.items[0]} />
          <MeasuredChart
            of={ALL}
            answer={drawn.data}
            bucket={bucket}
            measure={filter.measure}
            isOutdated={drawn.isPlaceholderData}
            onMeasure={(measure) => {
              setFilter({ measure }, { replace: true });
            }}
          />
        </>
      )}
      {whole && filter.group !== '' && (
        <GroupTable group={filter.group} of={ALL} filter={{ ...chosen, key: '' }} />
      )}
      {keys.isSuccess && functions.length > 0 && (
        <FunctionTable
          functions={functions}
          sort={filter.sort}
          filter={{ ...(range !== DEFAULT_RANGE && { range }), ...conditions }}
          renderMore={(key) => <Sparkline points={seriesByKey(key)} />}
          onSort={(sort) => {
            setFilter({ sort: sort === 'calls' ? '' : sort }, { replace: true });
          }}
          isOutdated={keys.isPlaceholderData}
        />
      )}
    </Page>
  );
}

/** Functions of either period, and native functions without a call. */
function pair(
  now: readonly MetricsItem[],
  before: readonly MetricsItem[],
  native: readonly FunctionSummary[] = [],
): ComparedFigures[] {
  const byKey = new Map<string, ComparedFigures>();
  for (const { name } of native) byKey.set(name, { trace_function_key: name });
  for (const item of now) {
    const key = item.trace_function_key ?? '';
    byKey.set(key, { trace_function_key: key, current: item });
  }
  for (const item of before) {
    const key = item.trace_function_key ?? '';
    byKey.set(key, { ...(byKey.get(key) ?? { trace_function_key: key }), baseline: item });
  }
  return [...byKey.values()];
}

function About({ waiting, error }: { waiting: number; error: number }) {
  return (
    <>
      Compared with the period before. Percentiles are accurate to {formatShare(error).replace('.0', '')}.
      {waiting > 0 &&
        ` Not counted yet: ${formatQuantity(waiting, 'batch', 'batches')}. Refresh in a moment.`}
    </>
  );
}

function NoCalls({ isFiltered }: { isFiltered: boolean }) {
  return (
    <EmptyState title={isFiltered ? 'No calls match these filters.' : 'No calls in this period.'}>
      <p>
        Choose a longer period{isFiltered && ' or fewer filters'}, or open the{' '}
        <Link href={paths.traces()}>newest traces</Link>. New calls are counted within about two seconds.
      </p>
    </EmptyState>
  );
}
