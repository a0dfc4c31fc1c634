import type { MetaTransaction, Parameters } from '../../../meta/transaction.js';
import type { TestedCondition } from './list-conditions.js';

export interface ListBounds {
  /** Where a condition finds so many rows at most, these are looked up and sorted; else all are looked through in their order. */
  few: number;
  /** How many are looked through for one page at most. */
  lookedThrough: number;
}

export const LIST_BOUNDS: ListBounds = { few: 2000, lookedThrough: 1000 };

/** Along what a list is read: rows of one index, in its order. */
interface Walk {
  from: string;
  where: string;
  inOrder: string;
  /** What the rows are sorted by, as expressions. */
  place: readonly [by: string, id: string];
}

interface Ahead {
  counts: number[];
  sorted_by: number | null;
  row_id: string | null;
}

/**
 * Finds out how a page is read, with as much work as one page takes: PostgreSQL's planner has no bound, and estimates rare combinations
 * badly.
 *
 * @returns the query that finds the fewest rows, if these are few; else the place of the last row to look at, if there are more
 */
export async function lookAhead(
  db: MetaTransaction,
  { from, where, inOrder, place: [by, id] }: Walk,
  tested: readonly TestedCondition[],
  parameters: Parameters,
  { few, lookedThrough }: ListBounds,
): Promise<{ few?: string; end?: readonly [by: number, id: string] }> {
  if (tested.length === 0) return {};
  const all = tested.flatMap(({ candidates }) => candidates ?? []);
  const counts = all.map((sql) => `(SELECT count(*) FROM (${sql} LIMIT ${few + 1}) q)`);
  const ahead = await db.get<Ahead>(
    `SELECT json_build_array(${counts.join(', ')}) AS counts, last.sorted_by, last.row_id
      FROM (SELECT 1) one LEFT JOIN (SELECT ${by} AS sorted_by, ${id} AS row_id FROM ${from}
        WHERE ${where} ${inOrder} LIMIT 1 OFFSET ${lookedThrough - 1}) last ON TRUE`,
    parameters,
  );
  if (ahead === undefined) return {};
  const fewest = Math.min(...ahead.counts);
  const found = fewest > few ? undefined : all[ahead.counts.indexOf(fewest)];
  if (found !== undefined) return { few: found };
  return ahead.sorted_by === null || ahead.row_id === null ? {} : { end: [ahead.sorted_by, ahead.row_id] };
}
