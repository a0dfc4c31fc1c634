import { useEffect, useState } from 'react';

/** Draws on a canvas at first, when what is drawn changes, and when the size or the theme does. @param draw stable between changes */
export function useDrawing(draw: (canvas: HTMLCanvasElement) => void) {
  const [canvas, setCanvas] = useState<HTMLCanvasElement | null>(null);
  useEffect(() => {
    if (!canvas) return;
    const redraw = () => {
      draw(canvas);
    };
    // Draws first when it begins to observe.
    const sizes = new ResizeObserver(redraw);
    sizes.observe(canvas);
    const themes = new MutationObserver(redraw);
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const system = window.matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', redraw);
    return () => {
      sizes.disconnect();
      themes.disconnect();
      system.removeEventListener('change', redraw);
    };
  }, [canvas, draw]);
  return { canvas, setCanvas };
}
