/** A non-blank line of a body, numbered from 1. */
export interface Line {
  number: number;
  text: string;
}

/** Splits NDJSON into its lines. Accepts `\r\n` and a missing last newline. */
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
