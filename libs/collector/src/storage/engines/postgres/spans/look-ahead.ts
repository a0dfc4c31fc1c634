import type { MetaTransaction, Parameters } from '../../../meta/transaction.js';
import type { TestedCondition } from './list-conditions.js';

export interface ListBounds {
  /** If a condition finds at most this many rows, they are looked up and sorted. Otherwise rows are read in the order of the list. */
  few: number;
  /** The maximum of rows that one page reads. */
  lookedThrough: number;
}

export const LIST_BOUNDS: ListBounds = { few: 2000, lookedThrough: 1000 };

/** The rows that a list reads, in the order of an index. */
interface Walk {
  from: string;
  where: string;
  inOrder: string;
  /** Expressions of the sort key. */
  place: readonly [by: string, id: string];
  /** The name of the rows, and a JOIN of other tables that conditions test. */
  tested?: readonly [name: string, join: string];
}

/** If this many of the first rows match, more are found along the list than by the index. */
const PROBED = 40;
const COMMON_FROM = 4;

interface Ahead {
  counts: number[];
  sorted_by: number | null;
  row_id: string | null;
}

/**
 * Decides how to read a page, with no more work than a page takes. PostgreSQL's planner knows no such bound, and estimates rare
 * combinations badly.
 *
 * @returns the query that finds the fewest rows, if these are few; else the position of the last row to read, if there are more
 */
export async function lookAhead(
  db: MetaTransaction,
  { from, where, inOrder, place: [by, id], tested: [name, join] = ['', ''] }: Walk,
  tested: readonly TestedCondition[],
  parameters: Parameters,
  { few, lookedThrough }: ListBounds,
): Promise<{ few?: string; end?: readonly [by: number, id: string] }> {
  if (tested.length === 0) return {};
  const all = tested.flatMap(({ candidates }) => candidates ?? []);
  const counts = tested.flatMap(({ test, candidates, readsAllMatches }) => {
    if (candidates === undefined) return [];
    const count = `(SELECT count(*) FROM (${candidates} LIMIT ${few + 1}) q)`;
    if (readsAllMatches !== true) return [count];
    const first = `(SELECT ${name}.* FROM ${from} WHERE ${where} ${inOrder} LIMIT ${PROBED}) ${name} ${join}`;
    return [
      `CASE WHEN (SELECT count(*) FROM ${first} WHERE ${test}) >= ${COMMON_FROM} THEN ${few + 1} ELSE ${count} END`,
    ];
  });
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
