import { useEffect, useState } from 'react';

const ROWS_BEYOND = 8;

/**
 * Which rows of a scrolled list stand in view: only those are rendered, however long the list is.
 * A newly chosen row is scrolled into view; -1 is none.
 */
export function useRowWindow(rowCount: number, rowHeightPx: number, chosenIndex: number) {
  const [viewport, setViewport] = useState<HTMLElement | null>(null);
  const [view, setView] = useState({ topPx: 0, heightPx: 900 });

  useEffect(() => {
    if (!viewport) return;
    const measure = () => {
      setView({ topPx: viewport.scrollTop, heightPx: viewport.clientHeight });
    };
    const observer = new ResizeObserver(measure);
    observer.observe(viewport);
    viewport.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      viewport.removeEventListener('scroll', measure);
    };
  }, [viewport]);

  useEffect(() => {
    if (!viewport || chosenIndex < 0) return;
    const topPx = chosenIndex * rowHeightPx;
    const lowestTopPx = topPx + rowHeightPx - viewport.clientHeight;
    if (topPx < viewport.scrollTop) viewport.scrollTo({ top: topPx });
    else if (lowestTopPx > viewport.scrollTop) viewport.scrollTo({ top: lowestTopPx });
  }, [viewport, chosenIndex, rowHeightPx]);

  const first = Math.max(0, Math.floor(view.topPx / rowHeightPx) - ROWS_BEYOND);
  const end = Math.min(rowCount, Math.ceil((view.topPx + view.heightPx) / rowHeightPx) + ROWS_BEYOND);
  return { setViewport, first, end };
}
