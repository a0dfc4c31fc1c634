import type { MetaStore } from '../storage/meta/meta-store.js';
import type { CopiedRow } from '../storage/meta/transfers.js';

/** All rows of a table, in pages. @param after the last row before them */
export async function* readPages(
  { transfers }: MetaStore,
  table: string,
  after?: CopiedRow,
): AsyncGenerator<CopiedRow[]> {
  for (let last = after; ;) {
    const rows = await transfers.readRows(table, last);
    last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
  }
}

/** Copies all rows except spans, from where an earlier copy ended. @param onRows receives the number of copied rows of a table */
export async function copyRows(
  source: MetaStore,
  target: MetaStore,
  onRows: (table: string, rows: number) => void,
): Promise<void> {
  for (const table of await source.transfers.listTables()) {
    for await (const rows of readPages(source, table, await target.transfers.findLastRow(table))) {
      await target.transfers.putRows(table, rows);
      onRows(table, rows.length);
    }
  }
}
