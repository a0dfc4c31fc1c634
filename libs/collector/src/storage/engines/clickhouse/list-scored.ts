import type { Range } from '../../ports/range.js';

/** Rows whose scores are looked up together. */
const LOOKED_UP = 2000;
/** The maximum of rows that one list looks up. */
const MOST_LOOKED_UP = 10 * LOOKED_UP;

/**
 * A page of rows that `select` keeps, such as rows with a score, because scores are in another database.
 *
 * @param select default: keeps all rows
 */
export async function listScored<R, After>(
  range: Range<After>,
  read: (range: Range<After>) => Promise<R[]>,
  toPosition: (row: R) => After,
  select?: (rows: readonly R[]) => Promise<R[]>,
): Promise<{ rows: R[]; lookedUntil?: After }> {
  if (select === undefined) return { rows: await read(range) };
  const { limit } = range;
  const kept: R[] = [];
  let { after } = range;
  for (let looked = 0; looked < MOST_LOOKED_UP; looked += LOOKED_UP) {
    const rows = await read({ limit: LOOKED_UP, ...(after !== undefined && { after }) });
    kept.push(...(await select(rows)));
    const last = rows.at(-1);
    if (kept.length >= limit || rows.length < LOOKED_UP || last === undefined) {
      return { rows: kept.slice(0, limit) };
    }
    after = toPosition(last);
  }
  return { rows: kept, ...(after !== undefined && { lookedUntil: after }) };
}
