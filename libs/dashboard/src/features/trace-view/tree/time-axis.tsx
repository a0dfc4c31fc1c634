import { formatDuration } from '../../../shared/format/format-duration.js';
import styles from './span-row.module.css';
import type { Timeline } from '../analysis/timeline.js';

interface TimeAxisProps {
  /** What the bars show. */
  timeline: Timeline;
  /** The start of the trace. */
  startUs: number;
}

/** The column header of the tree, with the start, middle and end of the shown time. */
export function TimeAxis({ timeline, startUs }: TimeAxisProps) {
  const fromMs = (timeline.startUs - startUs) / 1000;
  const lengthMs = timeline.lengthUs / 1000;
  return (
    <div className={`${styles.columns ?? ''} ${styles.axis ?? ''}`} aria-hidden="true">
      <span>Name</span>
      <span className="number">Duration</span>
      <span className={styles.ticks}>
        {[0, lengthMs / 2, lengthMs].map((atMs, index) => (
          <span key={index}>{fromMs + atMs === 0 ? '0' : formatDuration(fromMs + atMs)}</span>
        ))}
      </span>
    </div>
  );
}
