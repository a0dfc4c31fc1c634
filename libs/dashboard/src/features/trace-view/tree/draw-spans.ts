import { SPAN_TYPES, type SpanSummary } from '@dacapo/protocol';
import { placeBar, type Timeline } from '../analysis/timeline.js';
import type { TreeRow } from '../analysis/visible-rows.js';

interface Drawing {
  rows: readonly TreeRow[];
  timeline: Timeline;
  /** Height of a level, and the share of it that a bar fills. */
  levelPx: number;
  fill: number;
  /** Pixels above the drawing that are scrolled away. */
  topPx: number;
  /** Names are written into bars with room for them. */
  hasNames: boolean;
  selectedId?: string;
}

const NARROWEST_NAME_PX = 40;
const NARROWEST_BAR_PX = 1;

/** Draws spans by level on a canvas of the size that it is shown in. */
export function drawSpans(canvas: HTMLCanvasElement, drawing: Drawing): void {
  const { clientWidth: widthPx, clientHeight: heightPx } = canvas;
  const scale = window.devicePixelRatio;
  canvas.width = widthPx * scale;
  canvas.height = heightPx * scale;
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.scale(scale, scale);
  const colors = readColors(canvas);
  const { rows, timeline, levelPx, fill, topPx, hasNames, selectedId } = drawing;
  context.font = `12px ${getComputedStyle(canvas).fontFamily}`;
  context.textBaseline = 'middle';
  const narrow = new Map<string, Set<number>>();
  for (const { span, level } of rows) {
    const y = (level - 1) * levelPx - topPx;
    if (y + levelPx < 0 || y > heightPx) continue;
    const { offset, width } = placeBar(span, timeline);
    if (width === 0 && (offset === 0 || offset === 1)) continue;
    const [x, barPx] = [offset * widthPx, Math.max(NARROWEST_BAR_PX, width * widthPx)];
    const color = colors.get(span.status === 'error' ? 'error' : span.type) ?? '';
    // Of thousands of spans in one pixel, one is drawn.
    if (barPx === NARROWEST_BAR_PX && span.id !== selectedId) {
      const drawn = narrow.get(color) ?? new Set();
      const place = level * Math.ceil(widthPx) + Math.floor(x);
      if (drawn.has(place)) continue;
      narrow.set(color, drawn.add(place));
    }
    context.fillStyle = color;
    context.globalAlpha = span.status === 'unfinished' ? 0.4 : 1;
    context.fillRect(x, y, barPx, levelPx * fill);
    context.globalAlpha = 1;
    if (span.id === selectedId) {
      context.strokeStyle = colors.get('text') ?? '';
      context.lineWidth = 2;
      context.strokeRect(x + 1, y + 1, Math.max(0, barPx - 2), levelPx * fill - 2);
    }
    if (!hasNames || barPx < NARROWEST_NAME_PX) continue;
    context.save();
    context.beginPath();
    context.rect(x, y, barPx - 4, levelPx);
    context.clip();
    context.fillStyle = colors.get('page') ?? '';
    context.fillText(span.name, x + 4, y + (levelPx * fill) / 2);
    context.restore();
  }
}

/** The span at a place of the drawing. */
export function findSpanAt(
  { rows, timeline, levelPx, topPx }: Pick<Drawing, 'rows' | 'timeline' | 'levelPx' | 'topPx'>,
  share: number,
  yPx: number,
): SpanSummary | undefined {
  const level = Math.floor((yPx + topPx) / levelPx) + 1;
  return rows.findLast((row) => {
    if (row.level !== level) return false;
    const { offset, width } = placeBar(row.span, timeline);
    return share >= offset && share <= offset + width;
  })?.span;
}

/** Canvases do not resolve custom properties, so the colours come from the computed style of an element. */
function readColors(canvas: HTMLElement): ReadonlyMap<string, string> {
  const names = [
    ...SPAN_TYPES.map((type) => [type, `--type-${type}`] as const),
    ...(['error', 'text', 'page'] as const).map((name) => [name, `--${name}`] as const),
  ];
  const colors = new Map<string, string>();
  for (const [name, property] of names) {
    canvas.style.color = `var(${property})`;
    colors.set(name, getComputedStyle(canvas).color);
  }
  canvas.style.color = '';
  return colors;
}
