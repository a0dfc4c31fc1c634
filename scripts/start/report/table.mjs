import { dim } from './style.mjs';

/** Rows in columns, the first row as their heads. */
export function table([head, ...rows]) {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
  const line = (row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd();
  return [dim(line(head)), ...rows.map(line)].map((text) => `  ${text}`).join('\n');
}
