/** The text that is searched around a hint: two lines before and three after it, within these bounds. */
const BEFORE = 600;
const AFTER = 4200;
const LINES_BEFORE = 2;
const LINES_AFTER = 3;
/** How long a key without a break may be. */
const LONGEST_KEY = 16 * 1024;
const NEW_LINE = 0x0a;
const IS_BREAK = Uint8Array.from({ length: 128 }, (_, byte) =>
  /[\s"'`<>&,;\\]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/** The buffer is reused for texts up to this length. */
const KEPT_BYTES = 1024 * 1024;
let kept = new Uint8Array(4096);
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** A part of a text in UTF-8 bytes, and the `HINTS` in it. */
export interface Part {
  readonly start: number;
  end: number;
  hint: number;
}

/** A text in UTF-8. Only the newest one is valid. */
export class Utf8Text {
  readonly bytes: Uint8Array;
  readonly length: number;
  private readonly isAscii: boolean;
  private readonly isWellFormed: boolean;
  private byte = 0;
  private character = 0;
  private searchedFrom = 0;
  private foundBreak = -1;

  constructor(private readonly text: string) {
    let bytes = bytesFor(text.length);
    let encoded = encoder.encodeInto(text, bytes);
    if (encoded.read < text.length) {
      // The text is not ASCII.
      bytes = bytesFor(text.length * 3);
      encoded = encoder.encodeInto(text, bytes);
    }
    this.bytes = bytes;
    this.length = encoded.written;
    this.isAscii = encoded.written === text.length;
    // UTF-8 cannot encode half of a surrogate pair.
    this.isWellFormed = this.isAscii || (text as string & { isWellFormed(): boolean }).isWellFormed();
  }

  slice(start: number, end: number): string {
    return this.isAscii || !this.isWellFormed
      ? this.text.slice(this.characterAt(start), this.characterAt(end))
      : decoder.decode(this.bytes.subarray(start, end));
  }

  /** The index of the character that begins at a byte. */
  characterAt(at: number): number {
    if (this.isAscii) return at;
    if (at < this.byte) this.byte = this.character = 0;
    this.character += decoder.decode(this.bytes.subarray(this.byte, at)).length;
    this.byte = at;
    return this.character;
  }

  /** The parts around hints, which must be in ascending order. Parts do not overlap. */
  partsAround(hints: readonly { readonly at: number; readonly hint: number }[]): readonly Part[] {
    const parts: Part[] = [];
    for (const { at, hint } of hints) {
      const last = parts.at(-1);
      if (last !== undefined && at + AFTER <= last.end) {
        last.hint |= hint;
        continue;
      }
      const start = this.findPartStart(at);
      const end = this.findPartEnd(at);
      if (last === undefined || start > last.end) {
        parts.push({ start, end, hint });
      } else {
        last.end = Math.max(last.end, end);
        last.hint |= hint;
      }
    }
    return parts;
  }

  private findPartStart(at: number): number {
    const least = Math.max(0, at - BEFORE);
    let lines = 0;
    let start = at;
    for (; start > least; start--)
      if (this.bytes[start - 1] === NEW_LINE && lines++ === LINES_BEFORE) return start - 1;
    if (start === 0) return 0;
    while (start < at && !this.isBreak(start)) start++;
    return start < at ? start : this.findCharacterStart(least);
  }

  private findPartEnd(at: number): number {
    const most = Math.min(this.length, at + AFTER);
    const line = this.findLinesEnd(at, most);
    if (line > 0) return line;
    const end = this.nextBreak(most);
    return end - most <= LONGEST_KEY ? end : this.findCharacterStart(most);
  }

  /** The end of the third line after a position, or 0. */
  private findLinesEnd(at: number, most: number): number {
    let end = at;
    for (let lines = 0; lines < LINES_AFTER; lines++) {
      do end++;
      while (end < most && this.bytes[end] !== NEW_LINE);
      if (end >= most) return 0;
    }
    return end;
  }

  /** The first break after a position; also the first one for all positions before it. */
  private nextBreak(from: number): number {
    if (from >= this.searchedFrom && from <= this.foundBreak) return this.foundBreak;
    let at = (this.searchedFrom = from);
    while (at < this.length && !this.isBreak(at)) at++;
    return (this.foundBreak = at);
  }

  private isBreak(at: number): boolean {
    return IS_BREAK[this.bytes[at] as number] === 1;
  }

  private findCharacterStart(at: number): number {
    let start = at;
    while (((this.bytes[start] as number) & 0xc0) === 0x80) start--;
    return start;
  }
}

function bytesFor(length: number): Uint8Array {
  if (length <= kept.length) return kept;
  const bytes = new Uint8Array(Math.max(length, Math.min(KEPT_BYTES, length * 2)));
  if (bytes.length <= KEPT_BYTES) kept = bytes;
  return bytes;
}
