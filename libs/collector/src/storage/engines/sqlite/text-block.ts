const encoder = new TextEncoder();

/** A shorter text costs less as a value of its own. */
const SHORTEST_TEXT = 256;

/**
 * Long texts of a write as UTF-8, in one block of memory that moves to the database thread. As strings they would be copied to the
 * thread's heap, where the garbage collector copies them again while they wait.
 */
export class TextBlock {
  private readonly memory: Uint8Array<ArrayBuffer>;
  private end = 0;

  /** @param bytes as many as all texts have, or more */
  constructor(bytes: number) {
    this.memory = new Uint8Array(bytes);
  }

  /**
   * @returns what to bind in place of the text: in SQL, `CAST(? AS TEXT)` is the text
   * @throws RangeError when the text does not fit
   */
  add(text: string): string | Uint8Array {
    if (text.length < SHORTEST_TEXT) return text;
    const begin = this.end;
    const { read, written } = encoder.encodeInto(text, this.memory.subarray(begin));
    if (read < text.length) throw new RangeError('A text exceeds its block of memory');
    this.end += written;
    return this.memory.subarray(begin, this.end);
  }

  /** What a write has to move along with its rows. */
  get transfer(): ArrayBuffer[] {
    return this.end === 0 ? [] : [this.memory.buffer];
  }
}
