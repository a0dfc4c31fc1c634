import { formatDuration } from '../../../shared/format/format-duration.js';
import { SpanTypeIcon } from '../../../shared/ui/span-type.js';
import styles from './span-row.module.css';
import { placeBar, type Timeline } from './timeline.js';
import type { TreeRow } from './visible-rows.js';

interface SpanRowProps {
  row: TreeRow;
  topPx: number;
  timeline: Timeline;
  isSelected: boolean;
  onSelect: (spanId: string) => void;
  onToggle: (spanId: string) => void;
}

export function SpanRow({ row, topPx, timeline, isSelected, onSelect, onToggle }: SpanRowProps) {
  const { span, level, isExpanded } = row;
  const bar = placeBar(span, timeline);
  return (
    <div
      id={`span-${span.id}`}
      className={`${styles.columns ?? ''} ${styles.row ?? ''} ${styles[span.type] ?? ''}`}
      style={{ top: topPx }}
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
          <span className="visually-hidden">, {span.type}</span>
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
      <span className="number muted">{formatDuration(span.duration_ms)}</span>
      <span className={styles.track}>
        <span
          className={styles.bar}
          data-status={span.status}
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
