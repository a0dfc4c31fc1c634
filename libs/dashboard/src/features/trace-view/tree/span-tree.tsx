import { type KeyboardEvent, useMemo, useState } from 'react';
import { formatCount } from '../../../shared/format/format-count.js';
import type { SpanNode } from '../../../shared/spans/build-tree.js';
import { nextFailure } from './failures.js';
import { SpanRow } from './span-row.js';
import styles from './span-tree.module.css';
import { TimeAxis } from './time-axis.js';
import type { Timeline } from './timeline.js';
import { treeMove } from './tree-keys.js';
import { useRowWindow } from './use-row-window.js';
import { visibleRows } from './visible-rows.js';

const ROW_HEIGHT_PX = 28;
const NOTHING: ReadonlySet<string> = new Set();

interface SpanTreeProps {
  roots: SpanNode[];
  timeline: Timeline;
  selectedId: string;
  /** @param isPointed selected by pointer, not by keyboard */
  onSelect: (spanId: string, isPointed: boolean) => void;
}

/** The spans as a tree with bars on a common timeline. One tab stop, navigated by arrow keys. */
export function SpanTree({ roots, timeline, selectedId, onSelect }: SpanTreeProps) {
  const [collapsed, setCollapsed] = useState(NOTHING);
  const all = useMemo(() => visibleRows(roots), [roots]);
  const rows = useMemo(() => visibleRows(roots, collapsed), [roots, collapsed]);
  const selectedIndex = rows.findIndex((row) => row.span.id === selectedId);
  // A clicked row is already in view, and scrolling to it would scroll away from the span panel.
  const [pointedId, setPointedId] = useState<string>();
  const scrollToIndex = selectedId === pointedId ? -1 : selectedIndex;
  const { setViewport, view, first, end } = useRowWindow(rows.length, ROW_HEIGHT_PX, scrollToIndex);

  const toggle = (spanId: string) => {
    const next = new Set(collapsed);
    if (!next.delete(spanId)) next.add(spanId);
    setCollapsed(next);
  };
  const move = (event: KeyboardEvent) => {
    const target = treeMove(event.key, rows, selectedId);
    if (!target) return;
    event.preventDefault();
    if ('select' in target) onSelect(target.select, false);
    else toggle(target.toggle);
  };
  const hasErrors = useMemo(() => all.some((row) => row.span.status === 'error'), [all]);
  const goToNextError = () => {
    const next = nextFailure(all, selectedId);
    if (!next) return;
    setCollapsed(NOTHING);
    onSelect(next.id, false);
  };

  return (
    <section className={styles.panel} aria-label="Spans">
      <div className={styles.bar}>
        <h2>Spans</h2>
        <span className="muted">{formatCount(all.length)}</span>
        {hasErrors && (
          <button type="button" className="small" onClick={goToNextError}>
            Next error
          </button>
        )}
      </div>
      <TimeAxis timeline={timeline} />
      <div
        ref={setViewport}
        className={styles.viewport}
        role="tree"
        aria-label="Spans of this trace"
        aria-activedescendant={`span-${selectedId}`}
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
                isSelected={row.span.id === selectedId}
                onSelect={(spanId) => {
                  setPointedId(spanId);
                  onSelect(spanId, true);
                }}
                onToggle={toggle}
              />
            ))}
          </div>
        </div>
      </div>
    </section>
  );
}
