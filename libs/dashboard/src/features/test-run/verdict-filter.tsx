import { type TestRunTotals, VERDICTS } from '@dacapo/protocol';
import { formatCount } from '../../shared/format/format-count.js';
import styles from './verdict-filter.module.css';

interface VerdictFilterProps {
  totals: TestRunTotals;
  /** Empty when all are shown. */
  verdict: string;
  onChange: (verdict: string) => void;
}

/** The figures of a test run; each shows its items when pressed. */
export function VerdictFilter({ totals, verdict, onChange }: VerdictFilterProps) {
  const choices = [
    { value: '', label: 'all calls', count: totals.items },
    ...VERDICTS.map((value) => ({ value, label: value, count: totals[value] })),
  ];
  return (
    <div className={styles.choices} role="group" aria-label="Show by verdict">
      {choices.map(({ value, label, count }) => (
        <button
          key={value}
          type="button"
          className={styles.choice}
          data-verdict={count > 0 ? value : ''}
          aria-pressed={verdict === value}
          onClick={() => {
            onChange(value);
          }}
        >
          <span className={styles.count}>{formatCount(count)}</span> {label}
        </button>
      ))}
    </div>
  );
}
