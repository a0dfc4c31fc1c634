import type { MetricsItem } from '@dacapo/protocol';
import type { ReactNode } from 'react';
import { formatCount } from '../../shared/format/format-count.js';
import { formatDuration } from '../../shared/format/format-duration.js';
import { costPerCall, formatChange, formatShare } from '../../shared/functions/figures.js';
import { Cost } from '../../shared/ui/cost.js';
import styles from './functions.module.css';
import { totalTokens } from './measures.js';

interface TotalsProps {
  of: string;
  /** What is counted: `Calls` or `Traces`. */
  unit: string;
  item: MetricsItem;
  /** Of the period before. */
  baseline: MetricsItem | undefined;
}

/** The figures of a period, each with the difference from the period before. */
export function Totals({ of, unit, item, baseline }: TotalsProps) {
  const change = (read: (one: MetricsItem) => number | undefined): string =>
    formatChange(read(item), baseline && read(baseline));
  const shareFailed = ({ errors, calls }: MetricsItem): number => errors / calls;
  const tokens = totalTokens(item);
  const usage = item.model_calls === 0 ? undefined : item;
  return (
    <dl className={styles.totals} aria-label={of}>
      <Figure label={unit} change={change(({ calls }) => calls)}>
        {formatCount(item.calls)}
      </Figure>
      <Figure label="Failed" change={change(shareFailed)}>
        <span className={item.errors > 0 ? styles.errors : undefined}>{formatShare(shareFailed(item))}</span>
      </Figure>
      <Figure label="Median duration" change={change(({ p50_ms: p50 }) => p50)}>
        {formatDuration(item.p50_ms)}
      </Figure>
      <Figure label="95th percentile" change={change(({ p95_ms: p95 }) => p95)}>
        {formatDuration(item.p95_ms)}
      </Figure>
      <Figure label="Tokens" change={change(totalTokens)}>
        {tokens === undefined ? '–' : formatCount(tokens)}
      </Figure>
      <Figure label="Cost" change={change(({ cost_usd: cost }) => cost)}>
        <Cost usage={usage} />
      </Figure>
      <Figure label={unit === 'Traces' ? 'Cost per trace' : 'Cost per call'} change={change(costPerCall)}>
        <Cost usage={usage && { ...usage, cost_usd: costPerCall(item) }} />
      </Figure>
    </dl>
  );
}

function Figure({ label, change, children }: { label: string; change: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {children} {change !== '' && <span className={styles.figureChange}>{change}</span>}
      </dd>
    </div>
  );
}
