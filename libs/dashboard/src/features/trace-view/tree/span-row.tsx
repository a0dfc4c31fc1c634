import { formatDuration } from '../../../shared/format/format-duration.js';
import { SpanTypeIcon } from '../../../shared/ui/span-type.js';
import { SlowFactor } from '../../../shared/usual-duration/slow-factor.js';
import styles from './span-row.module.css';
import { placeBar, type Timeline } from '../analysis/timeline.js';
import type { TreeRow } from '../analysis/visible-rows.js';

interface SpanRowProps {
  row: TreeRow;
  topPx: number;
  timeline: Timeline;
  /** How many times its usual duration it took. Absent if that is usual, or unknown. */
  slowFactor: number | undefined;
  isSelected: boolean;
  /** Shown for its descendants, which match the filter. */
  isDimmed: boolean;
  isCritical: boolean;
  onSelect: (spanId: string) => void;
  onToggle: (spanId: string) => void;
}

export function SpanRow(props: SpanRowProps) {
  const { row, topPx, timeline, slowFactor, isSelected, isDimmed, isCritical, onSelect, onToggle } = props;
  const { span, level, isExpanded } = row;
  const bar = placeBar(span, timeline);
  return (
    <div
      id={`span-${span.id}`}
      className={`${styles.columns ?? ''} ${styles.row ?? ''} ${styles[span.type] ?? ''}`}
      style={{ top: topPx }}
      data-dimmed={isDimmed}
      role="treeitem"
      aria-level={level}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-selected={isSelected}
      aria-expanded={isExpanded}
      onClick={() => {
        onSelect(span.id);
      }}
    >
      <span className={styles.name} style={{ paddingLeft: indent(level) }}>
        <span
          className={styles.toggle}
          data-expanded={isExpanded}
          onClick={(event) => {
            if (isExpanded === undefined) return;
            event.stopPropagation();
            onToggle(span.id);
          }}
        />
        <SpanTypeIcon type={span.type} />
        <span className={styles.label} title={span.name}>
          {span.name}
          <span className="visually-hidden">
            , {span.type}
            {isCritical && ', on the critical path'}
          </span>
        </span>
        {row.isOrphan && (
          <span className="muted" title="The parent span has not arrived.">
            (parent missing)
          </span>
        )}
        {span.mocked && (
          <span className="muted" title="Answered from the recording, not run.">
            (mocked)
          </span>
        )}
        {span.status !== 'ok' && (
          <span className={styles.status} data-status={span.status}>
            {span.status}
          </span>
        )}
        {span.error_preview !== undefined && (
          <span className={styles.error} title={span.error_preview}>
            {span.error_preview}
          </span>
        )}
      </span>
      <span className={`number ${styles.duration ?? ''}`}>
        <span className="muted">{formatDuration(span.duration_ms)}</span>
        <SlowFactor factor={slowFactor} />
      </span>
      <span className={styles.track}>
        <span
          className={styles.bar}
          data-status={span.status}
          data-critical={isCritical}
          style={{ left: `${bar.offset * 100}%`, width: `${bar.width * 100}%` }}
        />
      </span>
    </div>
  );
}

/** Deep levels are indented less, at most half of the column, so that names keep room. */
function indent(level: number): string {
  const steps = level - 1;
  const px = Math.min(steps, 8) * 14 + Math.min(Math.max(steps - 8, 0), 32) * 4;
  return `min(${px}px, 50%)`;
}
