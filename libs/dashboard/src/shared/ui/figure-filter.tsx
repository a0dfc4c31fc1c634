import type { ReactNode } from 'react';
import { formatCount } from '../format/format-count.js';
import type { BadgeTone } from './badge.js';
import styles from './figure-filter.module.css';

export interface Figure {
  /** Empty: all are shown. */
  value: string;
  label: string;
  count: number;
  tone: BadgeTone;
}

interface FigureFilterProps {
  /** What the figures are, for who cannot see them. */
  label: string;
  figures: readonly Figure[];
  /** The value of the figure whose items are shown. */
  shown: string;
  onChange: (shown: string) => void;
  /** Beside the figures. */
  children?: ReactNode;
}

/** How many items stand how; each figure shows its items when pressed. */
export function FigureFilter({ label, figures, shown, onChange, children }: FigureFilterProps) {
  return (
    <div className={styles.figures} role="group" aria-label={label}>
      {figures.map((figure) => (
        <button
          key={figure.value}
          type="button"
          className={styles.figure}
          data-tone={figure.count > 0 ? figure.tone : 'neutral'}
          aria-pressed={shown === figure.value}
          onClick={() => {
            onChange(figure.value);
          }}
        >
          <span className={styles.count}>{formatCount(figure.count)}</span> {figure.label}
        </button>
      ))}
      {children}
    </div>
  );
}
