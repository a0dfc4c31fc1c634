/** A CSV record, or why it cannot be read. Rows count as in a spreadsheet: the header is row 1. */
export type CsvRecord = { readonly row: number } & (
  { readonly cells: string[] } | { readonly problem: string }
);

const PLAIN_CELL = /[^",\r\n]*/y;
const LINE_END = /\r\n|\n|\r/y;
const REST_OF_LINE = /[^\r\n]*/y;

/**
 * Parses CSV (RFC 4180). After a record that cannot be read, it continues on the next line. Empty lines are skipped.
 */
export function* csvRecords(text: string): Generator<CsvRecord> {
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const [match] = pattern.exec(text) ?? [];
    at += match?.length ?? 0;
    return match;
  };
  for (let row = 1; at < text.length; row++) {
    const start = at;
    const cells: string[] = [];
    let problem: string | undefined;
    do {
      const end = text[at] === '"' ? closingQuote(text, at + 1) : undefined;
      if (end === undefined) cells.push(take(PLAIN_CELL) ?? '');
      else if (end === -1) problem = 'has an unclosed quote';
      else {
        cells.push(text.slice(at + 1, end).replaceAll('""', '"'));
        at = end + 1;
      }
    } while (problem === undefined && text[at] === ',' && ++at > 0);
    const isEmpty = at === start;
    const isEnd = at >= text.length || take(LINE_END) !== undefined;
    if (!isEnd) {
      problem ??= `has a quote in the middle of cell ${cells.length}: put the whole cell in quotes, and double those inside`;
      take(REST_OF_LINE);
      take(LINE_END);
    }
    if (problem !== undefined) yield { row, problem };
    else if (!isEmpty) yield { row, cells };
  }
}

/** Not a regular expression: a repeated group overflows the stack on long cells. @returns -1 when no quote closes the cell */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}
