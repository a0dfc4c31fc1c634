import type { MetricsItem } from '@dacapo/protocol';
import { useState } from 'react';
import { Link } from 'wouter';
import { formatCount } from '../../shared/format/format-count.js';
import { formatDuration } from '../../shared/format/format-duration.js';
import { paths } from '../../shared/navigation/paths.js';
import { Cost } from '../../shared/ui/cost.js';
import { totalTokens } from './measures.js';
import styles from './metrics-page.module.css';
import type { Point } from './series.js';
import { Sparkline } from './time-chart.js';

const COLUMNS: { id: string; label: string; of: (item: MetricsItem) => number | undefined }[] = [
  { id: 'calls', label: 'Calls', of: ({ calls }) => calls },
  { id: 'errors', label: 'Errors', of: ({ errors }) => errors },
  { id: 'p50', label: 'p50', of: ({ p50_ms: p50 }) => p50 },
  { id: 'p95', label: 'p95', of: ({ p95_ms: p95 }) => p95 },
  { id: 'tokens', label: 'Tokens', of: totalTokens },
  { id: 'cost', label: 'Cost', of: ({ cost_usd: cost }) => cost },
];

/** Rows shown before "Show all". */
const FIRST_ROWS = 100;

interface KeyTableProps {
  items: readonly MetricsItem[];
  /** The column to sort by, descending. */
  sort: string;
  /** The key shown in the chart. */
  shown: string;
  /** Filters the traces that each key links to. */
  tracesFilter: Record<string, string>;
  findPoints: (key: string) => readonly Point[];
  onSort: (sort: string) => void;
  onShow: (key: string) => void;
  isOutdated: boolean;
}

export function KeyTable(props: KeyTableProps) {
  const { items, sort, shown, tracesFilter, findPoints, onSort, onShow, isOutdated } = props;
  const [hasAll, setHasAll] = useState(false);
  const by = COLUMNS.find(({ id }) => id === sort) ?? COLUMNS[0];
  const sorted = items.toSorted((left, right) => (by?.of(right) ?? -1) - (by?.of(left) ?? -1));
  return (
    <section className={styles.keys} aria-label="Trace function keys">
      <h2>Trace function keys</h2>
      <div className="table-frame" aria-busy={isOutdated}>
        <table>
          <thead>
            <tr>
              <th>Key</th>
              <th>
                <span className="visually-hidden">Calls over time</span>
              </th>
              {COLUMNS.map(({ id, label }) => (
                <th key={id} className="number" aria-sort={id === by?.id ? 'descending' : undefined}>
                  <button
                    type="button"
                    className={`small plain ${styles.sort ?? ''}`}
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
            {sorted.slice(0, hasAll ? undefined : FIRST_ROWS).map((item) => (
              <KeyRow
                key={item.trace_function_key}
                item={item}
                points={findPoints(item.trace_function_key ?? '')}
                isShown={item.trace_function_key === shown}
                tracesFilter={tracesFilter}
                onShow={onShow}
              />
            ))}
          </tbody>
        </table>
      </div>
      {!hasAll && items.length > FIRST_ROWS && (
        <button
          type="button"
          className={styles.all}
          onClick={() => {
            setHasAll(true);
          }}
        >
          Show all {formatCount(items.length)} keys
        </button>
      )}
    </section>
  );
}

interface KeyRowProps {
  item: MetricsItem;
  points: readonly Point[];
  isShown: boolean;
  tracesFilter: Record<string, string>;
  onShow: (key: string) => void;
}

function KeyRow({ item, points, isShown, tracesFilter, onShow }: KeyRowProps) {
  const key = item.trace_function_key ?? '';
  const tokens = totalTokens(item);
  return (
    <tr className={isShown ? styles.shown : undefined}>
      <th scope="row" className={styles.key}>
        <span className={styles.keyLine}>
          <button
            type="button"
            className={`plain ${styles.keyButton ?? ''}`}
            aria-pressed={isShown}
            title={`Show the chart of ${key}`}
            onClick={() => {
              onShow(isShown ? '' : key);
            }}
          >
            {key}
          </button>
          <Link className={styles.traces} href={paths.traces({ trace_function_key: key, ...tracesFilter })}>
            Traces<span className="visually-hidden"> of {key}</span>
          </Link>
        </span>
      </th>
      <td>
        <Sparkline points={points} />
      </td>
      <td className="number">{formatCount(item.calls)}</td>
      <td className={`number ${item.errors > 0 ? (styles.errors ?? '') : 'muted'}`}>
        {formatCount(item.errors)}
        {item.errors > 0 && ` (${percent(item.errors / item.calls)})`}
      </td>
      <td className="number">{formatDuration(item.p50_ms)}</td>
      <td className="number">{formatDuration(item.p95_ms)}</td>
      <td className="number">
        {tokens === undefined ? <span className="muted">–</span> : formatCount(tokens)}
      </td>
      <td className="number">
        <Cost usage={item.model_calls === 0 ? undefined : item} />
      </td>
    </tr>
  );
}

/** `0.3 %`, `12 %` */
export function percent(share: number): string {
  const value = share * 100;
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} %`;
}
