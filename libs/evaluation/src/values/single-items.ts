import type { ValueNode } from '@dacapo/protocol';

/** A longer run stays one: nobody asks about one of a million holes. */
const LONGEST_RUN = 10_000;

/** The items of an array, one for each index: runs of `undefined` and of holes, which are recorded as one, are taken apart. */
export function singleItems(items: readonly ValueNode[]): readonly ValueNode[] {
  if (items.every((item) => item.kind !== 'undefined' || item.count === 1)) return items;
  return items.flatMap((item) =>
    item.kind === 'undefined' && item.count <= LONGEST_RUN
      ? Array.from({ length: item.count }, () => ({ ...item, count: 1 }))
      : [item],
  );
}
