import { PAIR_RELATIONS, type PairRelation, type RunComparison } from '@dacapo/protocol';
import { formatCount } from '../../shared/format/format-count.js';
import type { BadgeTone } from '../../shared/ui/badge.js';
import styles from './run-comparison.module.css';

export const RELATIONS: Record<PairRelation, { label: string; tone: BadgeTone }> = {
  improved: { label: 'improved', tone: 'ok' },
  regressed: { label: 'regressed', tone: 'error' },
  both_same: { label: 'both same', tone: 'neutral' },
  both_changed: { label: 'both changed', tone: 'warning' },
  both_failed: { label: 'both failed', tone: 'warning' },
  unknown: { label: 'unknown', tone: 'neutral' },
  only_here: { label: 'only in this run', tone: 'neutral' },
  only_there: { label: 'only in the other', tone: 'neutral' },
};

interface RelationFilterProps {
  totals: RunComparison['totals'];
  /** A relation; empty when all are shown. */
  shown: string;
  onChange: (shown: string) => void;
}

/** How many calls stand how; each figure shows its calls when pressed. */
export function RelationFilter({ totals, shown, onChange }: RelationFilterProps) {
  const all = PAIR_RELATIONS.reduce((sum, relation) => sum + totals[relation], 0);
  const choices = [
    { value: '', label: 'all calls', count: all },
    ...PAIR_RELATIONS.map((value) => ({ value, label: RELATIONS[value].label, count: totals[value] })),
  ].filter(
    ({ value, count }) => count > 0 || value === shown || ['', 'improved', 'regressed'].includes(value),
  );
  return (
    <div className={styles.choices} role="group" aria-label="Show by comparison">
      {choices.map(({ value, label, count }) => (
        <button
          key={value}
          type="button"
          className={styles.choice}
          data-relation={count > 0 ? value : ''}
          aria-pressed={shown === value}
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
