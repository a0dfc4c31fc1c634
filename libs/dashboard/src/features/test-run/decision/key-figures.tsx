import { formatNumber } from '@dacapo/evaluation';
import styles from './decision.module.css';
import { formatMeasure, formatSigned } from './format-measure.js';
import type { MeasureName, RunFigures } from './read-summary.js';

const MOST_SCORES = 3;

const MEASURES: { name: MeasureName; label: string; of: 'p95' | 'mean' }[] = [
  { name: 'durations', label: 'p95 duration', of: 'p95' },
  { name: 'tokens', label: 'Tokens per call', of: 'mean' },
  { name: 'costUsd', label: 'Cost per call', of: 'mean' },
];

/** The few figures that a decision is about. The tables below have all. */
export function KeyFigures({ figures: { scores, measures } }: { figures: RunFigures }) {
  const shownScores = scores.filter(([, { mean }]) => mean !== null).slice(0, MOST_SCORES);
  const known = Object.fromEntries(measures);
  return (
    <dl className={styles.keyFigures}>
      {shownScores.map(([name, { mean, delta }]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {formatNumber(mean ?? 0)}
            {delta && delta.mean !== 0 && (
              <span className="muted"> {formatSigned(delta.mean, formatNumber)}</span>
            )}
          </dd>
        </div>
      ))}
      {MEASURES.map(({ name, label, of }) => {
        const measured = known[name];
        if (measured === undefined) return null;
        const change = of === 'p95' ? measured.p95Delta : measured.delta;
        return (
          <div key={name}>
            <dt>{label}</dt>
            <dd>
              {formatMeasure(name, measured[of])}
              {change && change.mean !== 0 && (
                <span className="muted">
                  {' '}
                  {formatSigned(change.mean, (value) => formatMeasure(name, value))}
                </span>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
