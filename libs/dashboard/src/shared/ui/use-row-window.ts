import { useEffect, useState } from 'react';

const ROWS_BEYOND = 8;

/** Neighbour rows that stay visible around a scrolled-to row. */
const ROWS_AROUND = 3;

/**
 * The visible rows of a scrolled list, so that only these are rendered.
 * Scrolls a newly chosen row into view, in the list and in the window. -1 chooses none.
 */
export function useRowWindow(rowCount: number, rowHeightPx: number, chosenIndex: number) {
  const [viewport, setViewport] = useState<HTMLElement | null>(null);
  const [view, setView] = useState({ topPx: 0, heightPx: window.innerHeight });

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
    showRow(viewport, chosenIndex * rowHeightPx, rowHeightPx);
  }, [viewport, chosenIndex, rowHeightPx]);

  const first = Math.max(0, Math.floor(view.topPx / rowHeightPx) - ROWS_BEYOND);
  const end = Math.min(rowCount, Math.ceil((view.topPx + view.heightPx) / rowHeightPx) + ROWS_BEYOND);
  return { viewport, setViewport, view, first, end };
}

/** Scrolls the list first and then the window, because the list may be taller than the window. */
function showRow(viewport: HTMLElement, topPx: number, rowHeightPx: number): void {
  const marginPx = ROWS_AROUND * rowHeightPx;
  const box = viewport.getBoundingClientRect();
  const seenPx = Math.max(Math.min(box.bottom, window.innerHeight) - Math.max(box.top, 0), rowHeightPx);
  const hiddenPx = Math.max(-box.top, 0);
  const highest = topPx + rowHeightPx - seenPx - hiddenPx;
  if (topPx - hiddenPx < viewport.scrollTop) viewport.scrollTo({ top: topPx - hiddenPx - marginPx });
  else if (highest > viewport.scrollTop) viewport.scrollTo({ top: highest + marginPx });

  const inWindowPx = box.top + topPx - viewport.scrollTop;
  const belowPx = inWindowPx + rowHeightPx - window.innerHeight;
  if (belowPx > 0) window.scrollBy({ top: belowPx + rowHeightPx });
  else if (inWindowPx < 0) window.scrollBy({ top: inWindowPx - rowHeightPx });
}
