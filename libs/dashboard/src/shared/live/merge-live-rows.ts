export interface LiveRows<T> {
  /** The loaded rows in their order, with their newest state. */
  rows: T[];
  /** Newest rows that are not loaded. */
  arrived: T[];
}

/** Updates the loaded rows and tells new ones apart. It inserts none, so that no row moves under the reader. */
export function mergeLiveRows<T>(
  loaded: readonly T[],
  newest: readonly T[],
  idOf: (row: T) => string,
): LiveRows<T> {
  const byId = new Map(newest.map((row) => [idOf(row), row]));
  const known = new Set(loaded.map(idOf));
  return {
    rows: loaded.map((row) => byId.get(idOf(row)) ?? row),
    arrived: newest.filter((row) => !known.has(idOf(row))),
  };
}
