/** A line of a body, counted from 1. Blank lines are not lines. */
export interface Line {
  number: number;
  text: string;
}

/** Splits NDJSON into its lines; `\r\n` and a missing last newline are taken too. */
export function* splitLines(body: string): Generator<Line> {
  let start = 0;
  for (let number = 1; start < body.length; number++) {
    const newline = body.indexOf('\n', start);
    const end = newline === -1 ? body.length : newline;
    const text = body.slice(start, end).trim();
    start = end + 1;
    if (text !== '') yield { number, text };
  }
}
