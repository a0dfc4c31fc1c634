/** An answer, or a part of one, while it is put together from chunks. */
export type Gathered = Record<string, unknown>;

/** No answer has as many parts: such an index is a mistake. */
const MOST_PARTS = 1024;

/** The index that a chunk names. Without a valid one it is about the first part. */
export function toIndex(index: unknown): number {
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < MOST_PARTS ? index : 0;
}

/** The part with this index, which is created when a chunk first names it. */
export function partAt(parts: Gathered[], index: unknown): Gathered {
  return (parts[toIndex(index)] ??= {});
}

/** Appends a piece to the text in a property. Skips pieces that are not texts. */
export function append(target: Gathered, name: string, piece: unknown): void {
  if (typeof piece !== 'string') return;
  const before = target[name];
  target[name] = typeof before === 'string' ? before + piece : piece;
}
