import type { TestRunItemSummary } from '@dacapo/protocol';
import type { SourcedItem } from './pair-items.js';

/** One call in several runs: an item for each run, in their order. */
export type GridCells = readonly (TestRunItemSummary | undefined)[];

/**
 * Joins the items of runs by source, in the order of the first run, then of the second, and so on. When a run has one source several
 * times, its first item is in the row of the first ones of other runs, and so on.
 */
export function joinRows(runs: readonly (readonly SourcedItem[])[]): GridCells[] {
  const rows = new Map<string, (TestRunItemSummary | undefined)[]>();
  for (const [index, items] of runs.entries()) {
    const times = new Map<string, number>();
    for (const { item, source } of items) {
      const time = times.get(source) ?? 0;
      times.set(source, time + 1);
      const key = `${time} ${source}`;
      const row = rows.get(key) ?? runs.map(() => undefined);
      rows.set(key, row);
      row[index] = item;
    }
  }
  return [...rows.values()];
}
