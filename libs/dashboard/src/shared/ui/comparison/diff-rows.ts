import { diffArrays } from 'diff';

/** One row of a side-by-side comparison. A side is absent when only the other has the line. */
export interface DiffRow {
  isChanged: boolean;
  left?: DiffLine;
  right?: DiffLine;
}

export interface DiffLine {
  /** From 1. */
  number: number;
  text: string;
}

/** Beyond these limits, the whole texts count as changed. */
const MAX_CHANGED_LINES = 1_000;
const TIMEOUT_MS = 250;

/** Compares two texts line by line. */
export function diffRows(left: string, right: string): DiffRow[] {
  const leftLines = left.split('\n');
  const rightLines = right.split('\n');
  const changes = diffArrays(leftLines, rightLines, {
    maxEditLength: MAX_CHANGED_LINES,
    timeout: TIMEOUT_MS,
  }) ?? [
    { removed: true, added: false, value: leftLines },
    { removed: false, added: true, value: rightLines },
  ];
  const rows = new RowWriter();
  let removed: string[] = [];
  for (const change of changes) {
    if (change.removed) {
      removed = change.value;
    } else if (change.added) {
      rows.write(true, removed, change.value);
      removed = [];
    } else {
      rows.write(true, removed, []);
      rows.write(false, change.value, change.value);
      removed = [];
    }
  }
  rows.write(true, removed, []);
  return rows.rows;
}

class RowWriter {
  readonly rows: DiffRow[] = [];
  #leftNumber = 0;
  #rightNumber = 0;

  write(isChanged: boolean, left: readonly string[], right: readonly string[]): void {
    for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
      const leftText = left[index];
      const rightText = right[index];
      this.rows.push({
        isChanged,
        ...(leftText !== undefined && { left: { number: ++this.#leftNumber, text: leftText } }),
        ...(rightText !== undefined && { right: { number: ++this.#rightNumber, text: rightText } }),
      });
    }
  }
}
