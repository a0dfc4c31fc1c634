/** Longer names are compared by so much of their beginning. */
const COMPARED_LENGTH = 128;

/**
 * Which of the names a misspelt one may have meant: the one with the fewest other letters, two or a third at most. Upper and
 * lower case do not count, but the first of several as near is taken.
 *
 * @returns `undefined` when none is near
 */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  const meant = comparedPart(name);
  let least = Math.floor(Math.max(2, meant.length / 3)) + 1;
  let nearest: string | undefined;
  for (const candidate of names) {
    const other = comparedPart(candidate);
    if (Math.abs(other.length - meant.length) >= least) continue;
    const distance = editDistance(meant, other);
    if (distance < least) [least, nearest] = [distance, candidate];
  }
  return nearest;
}

function comparedPart(name: string): string {
  return name.slice(0, COMPARED_LENGTH).toLowerCase();
}

/** Letters to put in, take out or change, to make one of the other (Levenshtein). */
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
