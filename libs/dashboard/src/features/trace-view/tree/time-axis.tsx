import { formatDuration } from '../../../shared/format/format-duration.js';
import styles from './span-row.module.css';
import type { Timeline } from './timeline.js';

/** The column header of the tree, with the start, middle and end of the timeline. */
export function TimeAxis({ timeline }: { timeline: Timeline }) {
  const lengthMs = timeline.lengthUs / 1000;
  return (
    <div className={`${styles.columns ?? ''} ${styles.axis ?? ''}`} aria-hidden="true">
      <span>Name</span>
      <span className="number">Duration</span>
      <span className={styles.ticks}>
        <span>0</span>
        {lengthMs > 0 && (
          <>
            <span>{formatDuration(lengthMs / 2)}</span>
            <span>{formatDuration(lengthMs)}</span>
          </>
        )}
      </span>
    </div>
  );
}
