/** A Markdown table; its first column reads to the left, the others to the right. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...rows.map(line)].join(
    '\n',
  );
}

/** Three digits that count. */
export const short = (value) =>
  value >= 100 ? Math.round(value) : Number(value.toPrecision(value >= 10 ? 3 : 2));

export const whole = (value) => value.toLocaleString('en');
