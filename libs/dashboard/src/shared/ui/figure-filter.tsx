import type { ReactNode } from 'react';
import { formatCount } from '../format/format-count.js';
import type { BadgeTone } from './badge.js';
import styles from './figure-filter.module.css';

export interface Figure {
  /** Empty for all items. */
  value: string;
  label: string;
  count: number;
  tone: BadgeTone;
}

interface FigureFilterProps {
  /** Names the group for screen readers. */
  label: string;
  figures: readonly Figure[];
  /** The value of the selected figure. */
  shown: string;
  onChange: (shown: string) => void;
  /** Shown after the figures. */
  children?: ReactNode;
}

/** Item counts as buttons. Each filters by its items. */
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
