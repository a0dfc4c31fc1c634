import type { Range } from '@dacapo/collector/storage';

type Key = readonly [by: string | number, id: string];

/** Rows that come after the range's position, the newest, or the greatest, first; or the oldest. */
export function newestFirst<R>(
  rows: readonly R[],
  { limit, after }: Range<Key>,
  toKey: (row: R) => Key,
  isOldestFirst = false,
): R[] {
  const place = (left: Key, right: Key) => (isOldestFirst ? compare(left, right) : compare(right, left));
  return rows
    .map((row) => ({ row, key: toKey(row) }))
    .filter(({ key }) => after === undefined || place(key, after) > 0)
    .sort((left, right) => place(left.key, right.key))
    .slice(0, limit)
    .map(({ row }) => row);
}

function compare([leftAt, leftId]: Key, [rightAt, rightId]: Key): number {
  if (leftAt !== rightAt) return leftAt < rightAt ? -1 : 1;
  return leftId < rightId ? -1 : Number(leftId > rightId);
}
