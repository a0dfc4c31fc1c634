/** Only this many leading characters of a name are compared. */
const COMPARED_LENGTH = 128;

/**
 * Finds the name that is closest to a misspelt one by edit distance, ignoring case. The distance may be 2, or a third of the
 * name's length if that is more. The first of equally close names wins.
 *
 * @returns `undefined` when no name is close
 */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  const wanted = comparedPart(name);
  let least = Math.floor(Math.max(2, wanted.length / 3)) + 1;
  let nearest: string | undefined;
  for (const candidate of names) {
    const other = comparedPart(candidate);
    if (Math.abs(other.length - wanted.length) >= least) continue;
    const distance = editDistance(wanted, other);
    if (distance < least) [least, nearest] = [distance, candidate];
  }
  return nearest;
}

function comparedPart(name: string): string {
  return name.slice(0, COMPARED_LENGTH).toLowerCase();
}

/** Levenshtein distance: the fewest insertions, deletions and substitutions. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let column = 1; column <= to.length; column++) {
      const changed = (row[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
