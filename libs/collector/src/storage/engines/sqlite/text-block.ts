const encoder = new TextEncoder();

/** Shorter texts are cheaper as separate values. */
const SHORTEST_TEXT = 256;

/**
 * Long texts of a write as UTF-8, in one block of memory that moves to the database thread. Strings would be copied to the thread's heap,
 * where the garbage collector copies them again while they wait.
 */
export class TextBlock {
  private readonly memory: Uint8Array<ArrayBuffer>;
  private end = 0;

  /** @param bytes the size of all texts, or more */
  constructor(bytes: number) {
    this.memory = new Uint8Array(bytes);
  }

  /**
   * @returns the value to bind instead of the text. In SQL, `CAST(? AS TEXT)` is the text
   * @throws RangeError if the text does not fit
   */
  add(text: string): string | Uint8Array {
    if (text.length < SHORTEST_TEXT) return text;
    const begin = this.end;
    const { read, written } = encoder.encodeInto(text, this.memory.subarray(begin));
    if (read < text.length) throw new RangeError('A text exceeds its block of memory');
    this.end += written;
    return this.memory.subarray(begin, this.end);
  }

  /** The memory that a write moves along with its rows. */
  get transfer(): ArrayBuffer[] {
    return this.end === 0 ? [] : [this.memory.buffer];
  }
}
