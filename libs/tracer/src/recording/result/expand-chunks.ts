import { pointerSteps } from '@dacapo/protocol';
import { isHolder } from './chunk-table.js';
import { type Row, type Shape, type ShortChunks, WHOLE } from './shorten-chunks.js';

/** Returns the separate chunks; `undefined` if the value is not a table of chunks. */
export function expandChunks(short: unknown): unknown[] | undefined {
  const { shapes, cells, rows } = (short ?? {}) as Partial<ShortChunks>;
  if (!Array.isArray(shapes) || !Array.isArray(cells ?? rows)) return undefined;
  const forms = (shapes as Shape[]).map(({ first, at }) => ({ first, places: at.map(pointerSteps) }));
  const lengths = forms.map(({ places }) => places.length);
  const all = cells === undefined ? rows : rowsByShape(cells, lengths);
  return all?.map(([shape, ...values]) => {
    if (shape === WHOLE) return values[0];
    const { first, places = [] } = forms[shape] ?? {};
    const holder = { chunk: copyPlain(first) };
    for (const [column, value] of values.entries()) put(holder, places[column] ?? [], value);
    return holder.chunk;
  });
}

/** @param lengths how many values a row of each shape has */
function rowsByShape(cells: readonly unknown[], lengths: readonly number[]): Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < cells.length;) {
    const shape = cells[at] as number;
    const end = at + 1 + (shape === WHOLE ? 1 : (lengths[shape] ?? 0));
    rows.push([shape, ...cells.slice(at + 1, end)]);
    at = end;
  }
  return rows;
}

function copyPlain(value: unknown): unknown {
  if (!isHolder(value)) return value;
  if (Array.isArray(value)) return value.map(copyPlain);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyPlain(member)]));
}

function put(holder: { chunk: unknown }, steps: readonly string[], value: unknown): void {
  let target: Record<string, unknown> = holder;
  let last = 'chunk';
  for (const step of steps) {
    target = target[last] as Record<string, unknown>;
    last = step;
  }
  // `__proto__` is a name like any other here.
  Object.defineProperty(target, last, { value, enumerable: true, configurable: true, writable: true });
}
