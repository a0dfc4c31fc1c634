import { type TestRunTotals, type Verdict, VERDICTS } from '@dacapo/protocol';
import { formatCount } from '../../shared/format/format-count.js';
import type { BadgeTone } from '../../shared/ui/badge.js';
import styles from './verdict-filter.module.css';

export const VERDICT_TONES: Record<Verdict, BadgeTone> = {
  same: 'ok',
  changed: 'warning',
  unknown: 'neutral',
  error: 'error',
};

/** Shown only where there are some: most runs have none. */
const RARE = ['unknown', 'diverged', 'fixed', 'failing_as_before', 'accepted'];

interface VerdictFilterProps {
  totals: TestRunTotals;
  /** A verdict or a flag; empty when all are shown. */
  shown: string;
  onChange: (shown: string) => void;
}

/** The figures of a test run; each shows its items when pressed. */
export function VerdictFilter({ totals, shown, onChange }: VerdictFilterProps) {
  const choices = [
    { value: '', label: 'all calls', count: totals.items },
    ...VERDICTS.map((value) => ({ value, label: value, count: totals[value] })),
    { value: 'diverged', label: 'diverged', count: totals.diverged },
    { value: 'fixed', label: 'fixed', count: totals.fixed },
    { value: 'failing_as_before', label: 'failing as before', count: totals.failing_as_before },
    { value: 'accepted', label: 'accepted', count: totals.accepted },
  ].filter(({ value, count }) => count > 0 || value === shown || !RARE.includes(value));
  return (
    <div className={styles.choices} role="group" aria-label="Show by verdict">
      {choices.map(({ value, label, count }) => (
        <button
          key={value}
          type="button"
          className={styles.choice}
          data-verdict={count > 0 ? value : ''}
          aria-pressed={shown === value}
          onClick={() => {
            onChange(value);
          }}
        >
          <span className={styles.count}>{formatCount(count)}</span> {label}
        </button>
      ))}
      {totals.flaky > 0 && <p className="muted">{formatCount(totals.flaky)} flaky</p>}
    </div>
  );
}
