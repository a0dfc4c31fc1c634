import type { TreeRow } from '../analysis/visible-rows.js';

/** The effect of a key, by the ARIA tree pattern: select a row, or toggle the current one. */
export type TreeMove = { select: string } | { toggle: string };

export function treeMove(key: string, rows: readonly TreeRow[], selectedId: string): TreeMove | undefined {
  const index = rows.findIndex((row) => row.span.id === selectedId);
  const current = rows[index];
  if (!current) return undefined;
  switch (key) {
    case 'ArrowDown':
      return selectRow(rows[index + 1]);
    case 'ArrowUp':
      return selectRow(rows[index - 1]);
    case 'Home':
      return selectRow(rows[0]);
    case 'End':
      return selectRow(rows.at(-1));
    case 'ArrowRight':
      if (current.isExpanded === undefined) return undefined;
      return current.isExpanded ? selectRow(rows[index + 1]) : { toggle: selectedId };
    case 'ArrowLeft':
      if (current.isExpanded) return { toggle: selectedId };
      return selectRow(rows.findLast((row, at) => at < index && row.level < current.level));
    default:
      return undefined;
  }
}

function selectRow(row: TreeRow | undefined): TreeMove | undefined {
  return row && { select: row.span.id };
}
