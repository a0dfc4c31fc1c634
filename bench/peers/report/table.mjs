/** Formats a Markdown table with a left-aligned first column and right-aligned others. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...rows.map(line)].join(
    '\n',
  );
}

/** Formats a number with three significant digits. */
export const short = (value) =>
  value >= 100 ? Math.round(value) : Number(value.toPrecision(value >= 10 ? 3 : 2));

export const whole = (value) => value.toLocaleString('en');
