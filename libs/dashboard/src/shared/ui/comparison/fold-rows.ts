import type { DiffRow } from './diff-rows.js';

/** A run of equal rows, shown as one line. */
export interface Fold {
  folded: DiffRow[];
}

const CONTEXT_LINES = 3;
/** Fewer equal rows than this are shown, because the fold takes a line too. */
const MIN_FOLDED = 4;

/** Keeps changed rows with some context, and folds the equal rows between them. */
export function foldRows(rows: readonly DiffRow[]): (DiffRow | Fold)[] {
  const folded: (DiffRow | Fold)[] = [];
  let index = 0;
  while (index < rows.length) {
    let end = index;
    while (end < rows.length && rows[end]?.isChanged === rows[index]?.isChanged) end += 1;
    const stretch = rows.slice(index, end);
    folded.push(...(rows[index]?.isChanged ? stretch : foldEqual(stretch, index === 0, end === rows.length)));
    index = end;
  }
  return folded;
}

function foldEqual(equal: DiffRow[], isFirst: boolean, isLast: boolean): (DiffRow | Fold)[] {
  if (isFirst && isLast) return equal;
  const before = isFirst ? 0 : CONTEXT_LINES;
  const after = isLast ? 0 : CONTEXT_LINES;
  const hidden = equal.slice(before, equal.length - after);
  if (equal.length - before - after < MIN_FOLDED) return equal;
  return [...equal.slice(0, before), { folded: hidden }, ...equal.slice(equal.length - after)];
}
