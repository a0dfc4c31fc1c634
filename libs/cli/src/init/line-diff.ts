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

/** Finds the fewest removed and added lines, by the longest common subsequence of the part that differs. */
export function diffLines(
  before: readonly string[],
  after: readonly string[],
  isSame: (a: string | undefined, b: string | undefined) => boolean = Object.is,
): Hunk[] {
  let head = 0;
  const shorter = Math.min(before.length, after.length);
  while (head < shorter && isSame(before[head], after[head])) head++;
  let tail = 0;
  while (tail < shorter - head && isSame(before.at(-1 - tail), after.at(-1 - tail))) tail++;
  const [rows, columns] = [before.length - head - tail, after.length - head - tail];
  const lengths = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1));
  const lengthAt = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  for (let row = rows - 1; row >= 0; row--)
    for (let column = columns - 1; column >= 0; column--)
      lengths[row]?.set(
        [
          isSame(before[head + row], after[head + column])
            ? lengthAt(row + 1, column + 1) + 1
            : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1)),
        ],
        column,
      );

  const hunks: Hunk[] = [];
  for (let row = 0, column = 0; row < rows || column < columns;) {
    const [fromRow, fromColumn] = [row, column];
    while (
      (row < rows || column < columns) &&
      !(row < rows && column < columns && isSame(before[head + row], after[head + column]))
    ) {
      if (row < rows && (column === columns || lengthAt(row + 1, column) >= lengthAt(row, column + 1))) row++;
      else column++;
    }
    if (row > fromRow || column > fromColumn)
      hunks.push({
        beforeAt: head + fromRow,
        removed: before.slice(head + fromRow, head + row),
        afterAt: head + fromColumn,
        added: after.slice(head + fromColumn, head + column),
      });
    while (row < rows && column < columns && isSame(before[head + row], after[head + column])) {
      row++;
      column++;
    }
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
