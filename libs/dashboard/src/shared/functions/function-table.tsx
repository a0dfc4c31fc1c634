import type { ComparedFigures, MetricsItem } from '@dacapo/protocol';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { formatCost } from '../format/format-cost.js';
import { formatCount } from '../format/format-count.js';
import { formatDuration } from '../format/format-duration.js';
import { paths } from '../navigation/paths.js';
import { Cost } from '../ui/cost.js';
import { LinkRow } from '../ui/link-row.js';
import { costPerCall, formatChange, formatShare, ownUsage } from './figures.js';
import styles from './function-table.module.css';

interface Column {
  id: string;
  label: string;
  title?: string;
  /** Grows with the length of the period. */
  isSum?: true;
  read: (item: MetricsItem) => number | undefined;
  show: (item: MetricsItem) => ReactNode;
}

const shareFailed = ({ errors, calls }: MetricsItem): number => (calls === 0 ? 0 : errors / calls);

const COLUMNS: readonly Column[] = [
  {
    id: 'calls',
    label: 'Calls',
    isSum: true,
    read: ({ calls }) => calls,
    show: ({ calls }) => formatCount(calls),
  },
  {
    id: 'errors',
    label: 'Failed',
    read: shareFailed,
    show: (item) => (item.errors === 0 ? <span className="muted">0</span> : <Failed item={item} />),
  },
  { id: 'p95', label: 'p95', read: ({ p95_ms: p95 }) => p95, show: ({ p95_ms: p95 }) => formatDuration(p95) },
  {
    id: 'cost-per-call',
    label: 'Cost per call',
    title: 'With the model calls below',
    read: costPerCall,
    show: (item) => <CostPerCall item={item} />,
  },
  {
    id: 'own-cost',
    label: 'Own cost',
    isSum: true,
    title: 'Without the calls below, so that each model call counts once',
    read: ({ own_cost_usd: cost }) => cost,
    show: (item) => <Cost usage={ownUsage(item)} />,
  },
];

/** Rows shown before "Show all". */
const FIRST_ROWS = 100;

interface FunctionTableProps {
  functions: readonly ComparedFigures[];
  /** The column to sort by, descending. */
  sort: string;
  onSort: (sort: string) => void;
  /** Parameters of the addresses of the functions. */
  filter?: Record<string, string>;
  /** Shown after the key, such as a chart. */
  renderMore?: (key: string) => ReactNode;
  /** The baseline is not of an equal period, so sums are not compared. */
  isOfReleases?: boolean;
  isOutdated?: boolean;
}

/** Functions with their figures, each with the difference from the baseline, and the sum of their own costs. */
export function FunctionTable(props: FunctionTableProps) {
  const { functions, sort, onSort, filter = {}, renderMore } = props;
  const { isOfReleases = false, isOutdated = false } = props;
  const hasBaseline = functions.some(({ baseline }) => baseline !== undefined);
  const [hasAll, setHasAll] = useState(false);
  const by = COLUMNS.find(({ id }) => id === sort) ?? COLUMNS[0];
  const rank = ({ current }: ComparedFigures): number => (current && by?.read(current)) ?? -1;
  const sorted = functions.toSorted((left, right) => rank(right) - rank(left));
  return (
    <section className={styles.functions} aria-label="Functions">
      <div
        className="table-frame"
        aria-busy={isOutdated}
        tabIndex={0}
        role="group"
        aria-label="Functions, table"
      >
        <table>
          <thead>
            <tr>
              <th>Function</th>
              {renderMore && (
                <th>
                  <span className="visually-hidden">Calls over time</span>
                </th>
              )}
              {COLUMNS.map(({ id, label, title }) => (
                <th key={id} className="number" aria-sort={id === by?.id ? 'descending' : undefined}>
                  <button
                    type="button"
                    className={`small plain ${styles.sort ?? ''}`}
                    title={title}
                    onClick={() => {
                      onSort(id);
                    }}
                  >
                    {label}
                    {id === by?.id && <span aria-hidden="true"> ↓</span>}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, hasAll ? undefined : FIRST_ROWS).map((one) => (
              <FunctionRow
                key={one.trace_function_key}
                figures={one}
                filter={filter}
                isNew={hasBaseline && one.baseline === undefined}
                isOfReleases={isOfReleases}
                renderMore={renderMore}
              />
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row" colSpan={COLUMNS.length + (renderMore ? 1 : 0)}>
                Own cost of all functions
              </th>
              <td className="number">
                <TotalCost functions={functions} />
              </td>
            </tr>
          </tfoot>
        </table>
      </div>
      {!hasAll && functions.length > FIRST_ROWS && (
        <button
          type="button"
          className={styles.all}
          onClick={() => {
            setHasAll(true);
          }}
        >
          Show all {formatCount(functions.length)} functions
        </button>
      )}
    </section>
  );
}

interface FunctionRowProps {
  figures: ComparedFigures;
  filter: Record<string, string>;
  isNew: boolean;
  isOfReleases: boolean;
  renderMore: ((key: string) => ReactNode) | undefined;
}

function FunctionRow({ figures, filter, isNew, isOfReleases, renderMore }: FunctionRowProps) {
  const { trace_function_key: key, current, baseline } = figures;
  const href = paths.function(key, filter);
  const describe = ({ id, isSum, read }: Column): string => {
    if (isNew) return id === 'calls' ? 'new' : '';
    return isSum === true && isOfReleases
      ? ''
      : formatChange(current && read(current), baseline && read(baseline));
  };
  return (
    <LinkRow href={href}>
      <th scope="row" className={styles.key}>
        <Link className="cover two-lines" href={href}>
          {key}
        </Link>
      </th>
      {renderMore && <td>{renderMore(key)}</td>}
      {current ? (
        COLUMNS.map((column) => (
          <td key={column.id} className="number">
            <span className={styles.change}>{describe(column)}</span> {column.show(current)}
          </td>
        ))
      ) : (
        <td className="number muted" colSpan={COLUMNS.length}>
          No calls in this period
        </td>
      )}
    </LinkRow>
  );
}

function Failed({ item }: { item: MetricsItem }) {
  return (
    <span className={styles.errors}>
      {formatCount(item.errors)} ({formatShare(shareFailed(item))})
    </span>
  );
}

function CostPerCall({ item }: { item: MetricsItem }) {
  if (item.model_calls === 0) return <span className="muted">–</span>;
  const cost = costPerCall(item);
  return <Cost usage={{ ...item, cost_usd: cost }} />;
}

function TotalCost({ functions }: { functions: readonly ComparedFigures[] }) {
  const costs = functions.flatMap(({ current }) => current?.own_cost_usd ?? []);
  if (costs.length === 0) return <span className="muted">–</span>;
  const isPartial = functions.some(({ current }) => (current?.own_unpriced_calls ?? 0) > 0);
  return (
    <span className="nowrap" title={isPartial ? 'Some models have no known price' : undefined}>
      {isPartial && <span className="visually-hidden">at least </span>}
      {isPartial && <span aria-hidden="true">≥ </span>}
      {formatCost(costs.reduce((sum, cost) => sum + cost, 0))}
    </span>
  );
}
