import { type KeyboardEvent, type MouseEvent, useCallback, useState } from 'react';
import { formatDuration } from '../../../shared/format/format-duration.js';
import { drawSpans, findSpanAt } from './draw-spans.js';
import styles from './flame-view.module.css';
import type { Timeline } from '../analysis/timeline.js';
import { treeMove } from './tree-keys.js';
import { useDrawing } from './use-drawing.js';
import type { TreeRow } from '../analysis/visible-rows.js';

const LEVEL_PX = 20;

interface FlameViewProps {
  rows: readonly TreeRow[];
  timeline: Timeline;
  selectedId: string;
  onSelect: (spanId: string, isPointed: boolean) => void;
}

/** Draws the visible spans by time and depth. Arrow keys move as in the tree. */
export function FlameView({ rows, timeline, selectedId, onSelect }: FlameViewProps) {
  const [topPx, setTopPx] = useState(0);
  const [title, setTitle] = useState<string>();
  const levels = rows.reduce((deepest, { level }) => Math.max(deepest, level), 1);
  const draw = useCallback(
    (canvas: HTMLCanvasElement) => {
      drawSpans(canvas, {
        rows,
        timeline,
        topPx,
        selectedId,
        levelPx: LEVEL_PX,
        fill: 0.9,
        hasNames: true,
      });
    },
    [rows, timeline, topPx, selectedId],
  );
  const { setCanvas } = useDrawing(draw);
  const spanAt = (event: MouseEvent<HTMLCanvasElement>) => {
    const { left, top, width } = event.currentTarget.getBoundingClientRect();
    const place = { rows, timeline, topPx, levelPx: LEVEL_PX };
    return findSpanAt(place, (event.clientX - left) / Math.max(1, width), event.clientY - top);
  };
  const move = (event: KeyboardEvent) => {
    const target = treeMove(event.key, rows, selectedId);
    if (!target || !('select' in target)) return;
    event.preventDefault();
    onSelect(target.select, false);
  };
  const selected = rows.find(({ span }) => span.id === selectedId);
  return (
    <div
      className={styles.viewport}
      role="img"
      aria-label={`Flames: ${selected?.span.name ?? ''}, level ${selected?.level ?? 0} of ${levels}`}
      tabIndex={0}
      onKeyDown={move}
      onScroll={({ currentTarget }) => {
        setTopPx(currentTarget.scrollTop);
      }}
    >
      <div style={{ height: levels * LEVEL_PX }}>
        <canvas
          ref={setCanvas}
          className={styles.canvas}
          title={title}
          onMouseMove={(event) => {
            const span = spanAt(event);
            setTitle(span && `${span.name}, ${formatDuration(span.duration_ms)}`);
          }}
          onClick={(event) => {
            const span = spanAt(event);
            if (span) onSelect(span.id, true);
          }}
        />
      </div>
    </div>
  );
}
