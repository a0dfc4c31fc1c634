/** Groups rows by a key and keeps their order. */
export function groupBy<R>(rows: readonly R[], toKey: (row: R) => string): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const group = groups.get(toKey(row));
    if (group === undefined) groups.set(toKey(row), [row]);
    else group.push(row);
  }
  return groups;
}

/** Compares spans of a trace by their start. */
export function compareStarts(
  a: { started_us: number; span_no: number },
  b: { started_us: number; span_no: number },
): number {
  return a.started_us - b.started_us || a.span_no - b.span_no;
}
