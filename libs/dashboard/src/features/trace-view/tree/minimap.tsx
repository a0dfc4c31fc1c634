import { type PointerEvent, useCallback, useState } from 'react';
import { drawSpans } from './draw-spans.js';
import styles from './minimap.module.css';
import { type Timeline, timelineBetween } from '../analysis/timeline.js';
import type { TreeRow } from '../analysis/visible-rows.js';
import { useDrawing } from './use-drawing.js';

const HEIGHT_PX = 36;

/** A shorter drag is a click, which shows the whole time again. */
const SHORTEST_SHARE = 0.005;

interface MinimapProps {
  rows: readonly TreeRow[];
  whole: Timeline;
  shown: Timeline;
  /** `undefined` for the whole time. */
  onZoom: (timeline: Timeline | undefined) => void;
}

/** An overview of the whole trace. Drag over a part to zoom into it. The keys `z` and `0` do the same for the selected span. */
export function Minimap({ rows, whole, shown, onZoom }: MinimapProps) {
  const [drag, setDrag] = useState<{ from: number; to: number }>();
  const draw = useCallback(
    (canvas: HTMLCanvasElement) => {
      const levels = rows.reduce((deepest, { level }) => Math.max(deepest, level), 1);
      const levelPx = Math.max(1, Math.min(6, HEIGHT_PX / levels));
      drawSpans(canvas, { rows, timeline: whole, levelPx, fill: 0.8, topPx: 0, hasNames: false });
    },
    [rows, whole],
  );
  const { setCanvas } = useDrawing(draw);
  const point = (event: PointerEvent<HTMLElement>): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - left) / Math.max(1, width)));
  };
  const from = drag ? Math.min(drag.from, drag.to) : (shown.startUs - whole.startUs) / whole.lengthUs;
  const length = drag ? Math.abs(drag.to - drag.from) : shown.lengthUs / whole.lengthUs;
  return (
    <div
      className={styles.minimap}
      aria-hidden="true"
      title="Drag to zoom, click to show the whole time"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ from: point(event), to: point(event) });
      }}
      onPointerMove={(event) => {
        if (drag) setDrag({ from: drag.from, to: point(event) });
      }}
      onPointerUp={(event) => {
        if (!drag) return;
        const to = point(event);
        setDrag(undefined);
        const isClick = Math.abs(to - drag.from) < SHORTEST_SHARE;
        onZoom(isClick ? undefined : timelineBetween(whole, drag.from, to));
      }}
    >
      <canvas ref={setCanvas} className={styles.canvas} />
      <span className={styles.shown} style={{ left: `${from * 100}%`, width: `${length * 100}%` }} />
    </div>
  );
}
