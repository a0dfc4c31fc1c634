import { isMetricsGroup, METRICS_GROUPS } from '@dacapo/protocol';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { FirstRequests } from '../../shared/http/first-requests.js';
import { paths, readPathId } from '../../shared/navigation/paths.js';
import { readQueryFilter, useQueryFilter } from '../../shared/navigation/use-query-filter.js';
import { ConditionFilters } from '../../shared/trace-filter/condition-filters.js';
import { FILTER_KINDS } from '../../shared/trace-filter/trace-filter.js';
import { EmptyState, ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { RefreshButton } from '../../shared/ui/refresh-button.js';
import { TimeRangeSelect } from '../../shared/ui/time-range-select.js';
import {
  chooseBucket,
  DEFAULT_RANGE,
  metricsQuery,
  newestCallsQuery,
  readMetricsFilter,
  versionsQuery,
} from './api.js';
import { CallsTab } from './calls-tab.js';
import { ErrorsTab } from './errors-tab.js';
import styles from './functions.module.css';
import { markReleases, markVersions } from './marks.js';
import { MeasuredChart } from './measured-chart.js';
import { RollBack } from './roll-back.js';
import { RunsTab } from './runs-tab.js';
import { Totals } from './totals.js';
import { findActive } from './versions.js';
import { VersionsTab } from './versions-tab.js';

const PARAMETERS = ['range', 'replays', 'measure', 'tab', 'group', ...METRICS_GROUPS] as const;
const KINDS = FILTER_KINDS.filter(({ id }) => isMetricsGroup(id));
const TABS = ['calls', 'versions', 'runs', 'errors'] as const;
type Tab = (typeof TABS)[number];

type Filter = Record<(typeof PARAMETERS)[number], string>;

export const firstRequests: FirstRequests = (queries, { pathname, searchParams }) => {
  const filter = readQueryFilter(searchParams, PARAMETERS);
  const key = readPathId(pathname);
  const { chosen, total, before, drawn } = firstQueries(key, filter);
  // The rows first: the service answers in this order.
  return [
    ...(findTab(filter.tab) === 'calls' ? [queries.query(newestCallsQuery(key, chosen, false))] : []),
    ...[total, before, drawn].map((one) => queries.query(one)),
  ];
};

function findTab(name: string): Tab {
  return TABS.find((tab) => tab === name) ?? 'calls';
}

function firstQueries(key: string, filter: Filter) {
  const chosen = { ...readMetricsFilter(filter), key };
  const bucket = chooseBucket(chosen.range);
  return {
    chosen,
    bucket,
    total: metricsQuery(chosen),
    before: metricsQuery({ ...chosen, isBefore: true }),
    drawn: metricsQuery({ ...chosen, bucket }),
  };
}

/** How one function is doing: its figures over time, with releases and versions, its calls, versions, runs and errors. */
export function FunctionPage({ functionKey: key }: { functionKey: string }) {
  const [filter, setFilter] = useQueryFilter(PARAMETERS);
  const { chosen, bucket, ...first } = firstQueries(key, filter);
  const { range, conditions } = chosen;
  const total = useQuery(first.total);
  const before = useQuery(first.before);
  const drawn = useQuery(first.drawn);
  // Where too many traces would have to be read, there are no marks of releases. They are read last.
  const releases = useQuery({
    ...metricsQuery({ ...chosen, bucket, groupBy: 'release' }),
    enabled: drawn.isSuccess,
    retry: false,
  });
  const versions = useQuery(versionsQuery(key));
  const active = findActive(versions.data ?? []);
  const client = useQueryClient();
  const refresh = () => {
    for (const name of ['metrics', 'functions', 'newest calls', 'test runs'])
      void client.invalidateQueries({ queryKey: [name] });
  };
  const tab = findTab(filter.tab);
  const [item] = total.data?.items ?? [];
  const noCalls =
    total.isSuccess && item === undefined ? (
      <EmptyState title="No calls in this period.">
        <p>Choose a longer period. New calls are counted within about two seconds.</p>
      </EmptyState>
    ) : undefined;
  const failed = [total, drawn].find(({ isError }) => isError);
  return (
    <Page
      title={key}
      above={<Link href={paths.functions()}>← Functions</Link>}
      about={active && `version ${active.version} is active`}
      actions={
        <>
          <RollBack versions={versions.data ?? []} />
          <Link className="button" href={paths.traces({ trace_function_key: key, range, ...conditions })}>
            Traces
          </Link>
          <RefreshButton onClick={refresh} />
        </>
      }
    >
      <ConditionFilters
        label="Filter calls"
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
      </ConditionFilters>
      {failed?.error && (
        <ErrorNotice title="Could not load the figures." error={failed.error} onRetry={refresh} />
      )}
      {total.isPending && <Loading what="figures" />}
      {tab !== 'calls' && noCalls}
      {item && (
        <>
          <Totals of={key} unit="Calls" item={item} baseline={before.data?.items[0]} />
          <MeasuredChart
            of={key}
            functionKey={key}
            answer={drawn.data}
            bucket={bucket}
            measure={filter.measure}
            marks={[...markReleases(releases.data?.items ?? []), ...markVersions(versions.data ?? [])]}
            isOutdated={drawn.isPlaceholderData}
            onMeasure={(measure) => {
              setFilter({ measure }, { replace: true });
            }}
          />
        </>
      )}
      <Tabs functionKey={key} shown={tab} filter={{ ...(filter.range && { range }), ...conditions }} />
      {tab === 'calls' &&
        (noCalls ?? (
          <CallsTab
            functionKey={key}
            filter={chosen}
            group={filter.group}
            onGroup={(group) => {
              setFilter({ group });
            }}
          />
        ))}
      {tab === 'versions' && <VersionsTab functionKey={key} />}
      {tab === 'runs' && <RunsTab functionKey={key} />}
      {tab === 'errors' && <ErrorsTab functionKey={key} filter={chosen} />}
    </Page>
  );
}

const LABELS: Record<Tab, string> = { calls: 'Calls', versions: 'Versions', runs: 'Runs', errors: 'Errors' };

interface TabsProps {
  functionKey: string;
  shown: Tab;
  filter: Record<string, string>;
}

function Tabs({ functionKey, shown, filter }: TabsProps) {
  return (
    <nav className={styles.tabs} aria-label="About this function">
      {TABS.map((tab) => (
        <Link
          key={tab}
          href={paths.function(functionKey, { ...filter, ...(tab !== 'calls' && { tab }) })}
          aria-current={tab === shown ? 'page' : undefined}
        >
          {LABELS[tab]}
        </Link>
      ))}
    </nav>
  );
}
