import type { ValueNode } from '@dacapo/protocol';

/** Longer runs stay one item, to bound memory. */
const LONGEST_RUN = 10_000;

/** The items of an array by index. Expands recorded runs of `undefined` and of holes. */
export function singleItems(items: readonly ValueNode[]): readonly ValueNode[] {
  if (items.every((item) => item.kind !== 'undefined' || item.count === 1)) return items;
  return items.flatMap((item) =>
    item.kind === 'undefined' && item.count <= LONGEST_RUN
      ? Array.from({ length: item.count }, () => ({ ...item, count: 1 }))
      : [item],
  );
}
