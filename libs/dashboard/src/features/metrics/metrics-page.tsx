import { isMetricsGroup, METRICS_GROUPS, type MetricsItem } from '@dacapo/protocol';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { formatCount, formatQuantity } from '../../shared/format/format-count.js';
import { formatDuration } from '../../shared/format/format-duration.js';
import { paths } from '../../shared/navigation/paths.js';
import { useQueryFilter } from '../../shared/navigation/use-query-filter.js';
import { ConditionFilters } from '../../shared/trace-filter/condition-filters.js';
import { FILTER_KINDS } from '../../shared/trace-filter/trace-filter.js';
import { Cost } from '../../shared/ui/cost.js';
import { EmptyState, ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { RefreshButton } from '../../shared/ui/refresh-button.js';
import { TimeRangeSelect } from '../../shared/ui/time-range-select.js';
import { chooseBucket, metricsQuery } from './api.js';
import { GroupSelect, GroupTable } from './group-table.js';
import { KeyTable, percent } from './key-table.js';
import { MEASURES, totalTokens } from './measures.js';
import styles from './metrics-page.module.css';
import { buildSeries } from './series.js';
import { TimeChart } from './time-chart.js';

const DEFAULT_RANGE = '7d';
const PARAMETERS = ['range', 'replays', 'key', 'measure', 'sort', 'group', ...METRICS_GROUPS] as const;
const KINDS = FILTER_KINDS.filter(({ id }) => isMetricsGroup(id));

/** Calls, errors, durations, tokens and cost of all traces and of each key, in a period that ends now. */
export function MetricsPage() {
  const [filter, setFilter] = useQueryFilter(PARAMETERS);
  const { range = DEFAULT_RANGE, replays = 'exclude', ...others } = withoutEmpty(filter);
  const conditions: Record<string, string> = Object.fromEntries(
    Object.entries(others).filter(([name]) => isMetricsGroup(name)),
  );
  const chosen = { range, replays, conditions };
  const bucket = chooseBucket(range);
  const totals = useQuery(metricsQuery({ ...chosen, key: '' }));
  const keys = useQuery(metricsQuery(chosen));
  const byTime = useQuery(metricsQuery({ ...chosen, bucket }));
  const drawn = useQuery(metricsQuery({ ...chosen, bucket, key: filter.key }));
  const client = useQueryClient();
  const refresh = () => void client.invalidateQueries({ queryKey: ['metrics'] });
  const failed = [totals, keys, byTime, drawn].find(({ isError }) => isError);
  const measure = MEASURES.find(({ id }) => id === filter.measure) ?? MEASURES[0];
  const seriesByKey = useMemo(() => {
    const answer = byTime.data;
    return (key: string) => (answer ? buildSeries(answer, bucket, key) : []);
  }, [byTime.data, bucket]);
  const items = keys.data?.items ?? [];
  const [whole] = totals.data?.items ?? [];
  const isEmpty = keys.isSuccess && items.length === 0 && !keys.isPlaceholderData;
  const of = filter.key === '' ? 'all traces' : filter.key;
  return (
    <Page
      title="Metrics"
      about={keys.data && <About waiting={keys.data.waiting_batches} error={keys.data.relative_error} />}
      actions={<RefreshButton onClick={refresh} />}
    >
      <ConditionFilters
        label="Filter metrics"
        kinds={KINDS}
        filter={conditions}
        cleared={Object.keys(conditions)}
        onChange={setFilter}
      >
        <TimeRangeSelect
          range={range}
          onChange={(chosen) => {
            setFilter({ range: chosen === DEFAULT_RANGE ? '' : chosen });
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
        <ErrorNotice title="Could not load the metrics." error={failed.error} onRetry={refresh} />
      )}
      {keys.isPending && <Loading what="metrics" />}
      {isEmpty && <NoCalls isFiltered={Object.keys(conditions).length > 0} />}
      {items.length > 0 && (
        <>
          {whole && <Totals item={whole} />}
          <section className={styles.drawn} aria-label={`Over time: ${of}`}>
            <header className={styles.drawnHeader}>
              <h2 className="two-lines">{filter.key === '' ? 'All traces' : filter.key}</h2>
              {filter.key !== '' && (
                <button
                  type="button"
                  className="small"
                  onClick={() => {
                    setFilter({ key: '' });
                  }}
                >
                  Show all traces
                </button>
              )}
              <div className={styles.measures} role="group" aria-label="Measure">
                {MEASURES.map(({ id, label }) => (
                  <button
                    key={id}
                    type="button"
                    className="small"
                    aria-pressed={id === measure.id}
                    onClick={() => {
                      setFilter({ measure: id === MEASURES[0].id ? '' : id }, { replace: true });
                    }}
                  >
                    {label}
                  </button>
                ))}
              </div>
            </header>
            <div className={styles.chartFrame} aria-busy={drawn.isPlaceholderData}>
              {drawn.data && (
                <TimeChart
                  of={of}
                  bucket={bucket}
                  measure={measure}
                  points={buildSeries(drawn.data, bucket, filter.key === '' ? undefined : filter.key)}
                />
              )}
            </div>
          </section>
          {filter.group !== '' && (
            <GroupTable group={filter.group} of={of} filter={{ ...chosen, key: filter.key }} />
          )}
          <KeyTable
            items={items}
            sort={filter.sort}
            shown={filter.key}
            tracesFilter={{ range, ...conditions }}
            findPoints={seriesByKey}
            onSort={(sort) => {
              setFilter({ sort: sort === 'calls' ? '' : sort }, { replace: true });
            }}
            onShow={(key) => {
              setFilter({ key });
            }}
            isOutdated={keys.isPlaceholderData}
          />
        </>
      )}
    </Page>
  );
}

function withoutEmpty<Name extends string>(filter: Record<Name, string>): Partial<Record<Name, string>> {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== '')) as Partial<
    Record<Name, string>
  >;
}

function About({ waiting, error }: { waiting: number; error: number }) {
  return (
    <>
      Calls by trace function key. Percentiles are accurate to {percent(error).replace('.0', '')}.
      {waiting > 0 &&
        ` Not counted yet: ${formatQuantity(waiting, 'batch', 'batches')}. Refresh in a moment.`}
    </>
  );
}

function Totals({ item }: { item: MetricsItem }) {
  const tokens = totalTokens(item);
  return (
    <dl className={styles.totals} aria-label="All traces">
      <div>
        <dt>Traces</dt>
        <dd>{formatCount(item.calls)}</dd>
      </div>
      <div>
        <dt>Failed</dt>
        <dd className={item.errors > 0 ? styles.errors : undefined}>{percent(item.errors / item.calls)}</dd>
      </div>
      <div>
        <dt>Median duration</dt>
        <dd>{formatDuration(item.p50_ms)}</dd>
      </div>
      <div>
        <dt>95th percentile</dt>
        <dd>{formatDuration(item.p95_ms)}</dd>
      </div>
      <div>
        <dt>Tokens</dt>
        <dd>{tokens === undefined ? '–' : formatCount(tokens)}</dd>
      </div>
      <div>
        <dt>Cost</dt>
        <dd>
          <Cost usage={item.model_calls === 0 ? undefined : item} />
        </dd>
      </div>
    </dl>
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
