/** Lines that are sent together, each with its end. */
export interface LineBatch {
  /** The number of its first line in the file, from 1. */
  first: number;
  lines: Buffer[];
}

const NEWLINE = 10;
const LINES_AT_ONCE = 500;
const BYTES_AT_ONCE = 1024 * 1024;

/** Lines with their ends, of bytes that come in parts. The last one may have none. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let begun: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, at + 1)]);
      begun = [];
      from = at + 1;
    }
    if (from < chunk.length) begun.push(chunk.subarray(from));
  }
  if (begun.length > 0) yield Buffer.concat(begun);
}

/** As many lines as make a body of 1 MiB, or one. */
export async function* batchesOf(lines: AsyncIterable<Buffer>): AsyncGenerator<LineBatch> {
  let batch: LineBatch = { first: 1, lines: [] };
  let bytes = 0;
  for await (const line of lines) {
    const count = batch.lines.length;
    if (count >= LINES_AT_ONCE || (count > 0 && bytes + line.length > BYTES_AT_ONCE)) {
      yield batch;
      batch = { first: batch.first + count, lines: [] };
      bytes = 0;
    }
    batch.lines.push(line);
    bytes += line.length;
  }
  if (batch.lines.length > 0) yield batch;
}
