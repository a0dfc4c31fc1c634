import { type KeyboardEvent, useState } from 'react';
import { useRowWindow } from '../../../shared/ui/use-row-window.js';
import type { TraceAnalysis } from '../analysis/analyse-trace.js';
import { compareWithUsual } from '../../../shared/usual-duration/compare-with-usual.js';
import { isFiltering, matchesFilter, type SpanFilter } from './filter-tree.js';
import { SpanRow } from './span-row.js';
import styles from './span-tree.module.css';
import { TimeAxis } from './time-axis.js';
import type { Timeline } from '../analysis/timeline.js';
import { treeMove } from './tree-keys.js';
import type { TreeRow } from '../analysis/visible-rows.js';

const ROW_HEIGHT_PX = 28;

interface SpanTreeProps {
  rows: readonly TreeRow[];
  analysis: TraceAnalysis;
  /** What the bars show. */
  timeline: Timeline;
  filter: SpanFilter;
  /** Marks the critical path. */
  isPathShown: boolean;
  selectedId: string;
  /** @param isPointed selected by pointer, not by keyboard */
  onSelect: (spanId: string, isPointed: boolean) => void;
  onToggle: (spanId: string) => void;
}

/** The spans as a tree with bars on a common timeline. One tab stop, navigated by arrow keys. */
export function SpanTree(props: SpanTreeProps) {
  const { rows, analysis, timeline, filter, isPathShown, selectedId, onSelect, onToggle } = props;
  const selectedIndex = rows.findIndex((row) => row.span.id === selectedId);
  // A clicked row is already in view, and scrolling to it would scroll away from the span panel.
  const [pointedId, setPointedId] = useState<string>();
  const scrollToIndex = selectedId === pointedId ? -1 : selectedIndex;
  const { setViewport, view, first, end } = useRowWindow(rows.length, ROW_HEIGHT_PX, scrollToIndex);
  const move = (event: KeyboardEvent) => {
    const target = treeMove(event.key, rows, selectedId);
    if (!target) return;
    event.preventDefault();
    if ('select' in target) onSelect(target.select, false);
    else onToggle(target.toggle);
  };
  return (
    <>
      <TimeAxis timeline={timeline} startUs={analysis.timeline.startUs} />
      <div
        ref={setViewport}
        className={styles.viewport}
        role="tree"
        aria-label="Spans of this trace"
        aria-activedescendant={selectedIndex < 0 ? undefined : `span-${selectedId}`}
        tabIndex={0}
        onKeyDown={move}
      >
        <div className={styles.rows} style={{ height: rows.length * ROW_HEIGHT_PX }} role="presentation">
          <div className={styles.window} style={{ height: view.heightPx }} role="presentation">
            {rows.slice(first, end).map((row, index) => (
              <SpanRow
                key={row.span.id}
                row={row}
                topPx={(first + index) * ROW_HEIGHT_PX - view.topPx}
                timeline={timeline}
                slowFactor={compareWithUsual(row.span, analysis.usual)}
                isSelected={row.span.id === selectedId}
                isDimmed={isFiltering(filter) && !matchesFilter(row.span, filter)}
                isCritical={isPathShown && analysis.criticalTimes.has(row.span.id)}
                onSelect={(spanId) => {
                  setPointedId(spanId);
                  onSelect(spanId, true);
                }}
                onToggle={onToggle}
              />
            ))}
          </div>
        </div>
      </div>
    </>
  );
}
