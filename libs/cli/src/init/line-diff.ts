import { diffArrays } from 'diff';

/** A place where a text differs from another: lines are with their ends, and numbered from 0. */
export interface Hunk {
  readonly beforeAt: number;
  readonly removed: readonly string[];
  readonly afterAt: number;
  readonly added: readonly string[];
}

/** Splits a text into lines that keep their ends. A byte order mark is a line of its own, so that the first line stays. */
export function splitLines(text: string): string[] {
  return text.match(/^\uFEFF|[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Finds the removed and added lines, with lines that `isSame` matches between them. */
export function diffLines(
  before: readonly string[],
  after: readonly string[],
  isSame: (a: string, b: string) => boolean = Object.is,
): Hunk[] {
  const hunks: { beforeAt: number; removed: string[]; afterAt: number; added: string[] }[] = [];
  let [beforeAt, afterAt] = [0, 0];
  let isInHunk = false;
  for (const { value, added, removed } of diffArrays([...before], [...after], { comparator: isSame })) {
    const isChange = added || removed;
    if (isChange && !isInHunk) hunks.push({ beforeAt, removed: [], afterAt, added: [] });
    isInHunk = isChange;
    if (removed) hunks.at(-1)?.removed.push(...value);
    if (added) hunks.at(-1)?.added.push(...value);
    if (!added) beforeAt += value.length;
    if (!removed) afterAt += value.length;
  }
  return hunks;
}

/** Turns the second text of a diff into the first. */
export function revertHunks(after: string, hunks: readonly Hunk[]): string {
  const lines = splitLines(after);
  for (const { afterAt, added, removed } of hunks.toReversed())
    lines.splice(afterAt, added.length, ...removed);
  return lines.join('');
}

/** Formats hunks like `diff -u`, with some lines around each. */
export function formatHunks(before: readonly string[], hunks: readonly Hunk[], contextLines = 2): string {
  const show = (mark: string, lines: readonly string[]): string[] =>
    lines.map((line) => `${mark}${line.replace(/\r?\n$/, '')}`);
  return hunks
    .flatMap(({ beforeAt, removed, added }) => [
      `@@ line ${beforeAt + 1} @@`,
      ...show(' ', before.slice(Math.max(0, beforeAt - contextLines), beforeAt)),
      ...show('-', removed),
      ...show('+', added),
      ...show(' ', before.slice(beforeAt + removed.length, beforeAt + removed.length + contextLines)),
    ])
    .join('\n');
}
