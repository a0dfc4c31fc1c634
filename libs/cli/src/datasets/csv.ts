/** One record of a CSV text, or why it is none. `row` is that of a spreadsheet: the header is row 1. */
export type CsvRecord = { readonly row: number } & (
  { readonly cells: string[] } | { readonly problem: string }
);

/** A cell in quotes, which are doubled inside; or one without. */
const CELL = /"((?:[^"]|"")*)"|([^",\r\n]*)/y;
const LINE_END = /\r\n|\n|\r/y;
const REST_OF_LINE = /[^\r\n]*/y;

/**
 * The records of a CSV text (RFC 4180): cells are parted by commas, a cell in quotes may hold commas, line ends and doubled
 * quotes. A record that cannot be read is told of, and the next begins on the next line. Empty lines are passed over.
 */
export function* csvRecords(text: string): Generator<CsvRecord> {
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text) ?? undefined;
    at += match?.[0].length ?? 0;
    return match;
  };
  for (let row = 1; at < text.length; row++) {
    const cells: string[] = [];
    let problem: string | undefined;
    do {
      const isQuoted = text[at] === '"';
      const [, quoted, plain = ''] = take(CELL) ?? [];
      if (isQuoted && quoted === undefined) problem = 'a quote is not closed';
      cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    } while (problem === undefined && text[at] === ',' && ++at > 0);
    const isEnd = at >= text.length || take(LINE_END) !== undefined;
    if (!isEnd) {
      problem ??= `cell ${cells.length} has a quote in its middle: put the whole cell in quotes, and double those inside`;
      take(REST_OF_LINE);
      take(LINE_END);
    }
    if (problem !== undefined) yield { row, problem };
    else if (cells.length > 1 || cells[0] !== '') yield { row, cells };
  }
}
