import { useEffect, useState } from 'react';

const ROWS_BEYOND = 8;

/** What is shown of its neighbours when a row is scrolled to. */
const ROWS_AROUND = 3;

/**
 * Which rows of a scrolled list stand in view: only those are rendered, however long the list is.
 * A newly chosen row is scrolled into view, in the list and in the window; -1 is none.
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
    showRow(viewport, chosenIndex * rowHeightPx, rowHeightPx);
  }, [viewport, chosenIndex, rowHeightPx]);

  const first = Math.max(0, Math.floor(view.topPx / rowHeightPx) - ROWS_BEYOND);
  const end = Math.min(rowCount, Math.ceil((view.topPx + view.heightPx) / rowHeightPx) + ROWS_BEYOND);
  return { setViewport, view, first, end };
}

/** The list may be longer than the window: first into the part of it that can be seen, then the window after it. */
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
