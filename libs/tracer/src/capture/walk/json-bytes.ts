import type { ByteString } from '../../byte-string.js';
import { ESCAPED } from './byte-classes.js';
import { CHUNK, encodeChunk, escapeChunk, MOST_BYTES, sharedPage } from './page.js';
import { findChunkEnd, isWellFormed } from './string-chunks.js';

/** Strings up to this length are copied character by character, which is faster than a call to the platform. */
const SHORT_STRING = 48;
/** Shorter runs contain no secret: a secret in a property has at least eight characters, and one in a list follows its name. */
const SHORTEST_READ = 8;
/** A longer list is released instead of kept for the next value. */
const PLACES_KEPT = 4096;
const QUOTE = 0x22;
const ZERO = 0x30;
const LAST_ASCII = 0x7f;

/** Local constants, because imported bindings are looked up at each use. */
const { page, pageBuffer } = sharedPage();
const IS_ESCAPED = ESCAPED;

/** The owner of the bytes on the page, and their number. Read as `used | 0`, so that the engine uses integers. */
let owner: JsonBytes | undefined;
let used = 0;

/**
 * Writes JSON as UTF-8. Faster than `JSON.stringify`, because it creates only the final string.
 *
 * The contract of the encoder:
 * - The process has one page (`page.ts`) with one owner: the latest open `JsonBytes`. Only the owner writes to it. `used` is the number
 *   of bytes that the owner wrote.
 * - Between `open` and `close`, another instance may open and close: in application code that a walk runs, or to hash a cut value. The
 *   owner's bytes are then moved from the page to its `spilled` bytes. It gets the page back, empty, when the other instance closes. Code
 *   must therefore not keep a position on the page across code that may open another instance.
 * - A full page is spilled too. `length`, `truncate` and `set` include spilled bytes, so their positions stay valid.
 */
export class JsonBytes {
  private outer: JsonBytes | undefined;
  /** The bytes that were moved from the page. */
  private spilled = Buffer.alloc(0);
  private spilledBytes = 0;
  /** Starts and ends of runs without secrets. Only the first `cleanPlaces` entries are valid. */
  private readonly clean: number[] = [];
  private cleanPlaces = 0;

  open(): void {
    this.outer = begin(this);
    used = this.spilledBytes = this.cleanPlaces = 0;
  }

  close(): void {
    owner = this.outer;
    this.outer = undefined;
    used = 0;
    if (this.clean.length > PLACES_KEPT) this.clean.length = 0;
  }

  /** Number of written bytes. */
  get length(): number {
    return this.spilledBytes + used;
  }

  toByteString(): ByteString {
    if (this.spilledBytes === 0) return pageBuffer.toString('latin1', 0, used) as ByteString;
    this.spill();
    return this.spilled.toString('latin1', 0, this.spilledBytes) as ByteString;
  }

  /** The written bytes; valid until more are written. */
  get bytes(): Uint8Array {
    if (this.spilledBytes === 0) return page;
    this.spill();
    return this.spilled;
  }

  /** Marks the bytes since `start` as free of secrets. */
  markClean(start: number): void {
    const { clean, cleanPlaces } = this;
    if (cleanPlaces === 0 || clean[cleanPlaces - 1] !== start) {
      clean[cleanPlaces] = start;
      this.cleanPlaces += 2;
    }
    clean[this.cleanPlaces - 1] = this.length;
  }

  /** Whether `look` returns true for a run of bytes that was not marked as clean. */
  someUnread(look: (bytes: Uint8Array, from: number, to: number) => boolean): boolean {
    const { bytes, clean, cleanPlaces } = this;
    let from = 0;
    for (let i = 0; i < cleanPlaces; i += 2) {
      const to = clean[i] as number;
      if (to - from >= SHORTEST_READ && look(bytes, from, to)) return true;
      from = clean[i + 1] as number;
    }
    return this.length - from >= SHORTEST_READ && look(bytes, from, this.length);
  }

  /** Removes everything after the first `length` bytes. */
  truncate(length: number): void {
    while (this.cleanPlaces > 0 && (this.clean[this.cleanPlaces - 1] as number) > length)
      this.cleanPlaces -= 2;
    if (length >= this.spilledBytes) {
      used = length - this.spilledBytes;
    } else {
      this.spilledBytes = length;
      used = 0;
    }
  }

  /** Replaces one byte. */
  set(index: number, byte: number): void {
    if (index >= this.spilledBytes) page[index - this.spilledBytes] = byte;
    else this.spilled[index] = byte;
  }

  byte(code: number): void {
    this.reserve(1);
    page[used++] = code;
  }

  /** Writes ASCII JSON that is shorter than the page. */
  ascii(json: string): void {
    const { length } = json;
    this.reserve(length);
    const start = used | 0;
    for (let i = 0; i < length; i++) page[start + i] = json.charCodeAt(i);
    used = start + length;
  }

  /** Copies existing bytes. */
  copy(source: Uint8Array): void {
    const { length } = source;
    if (length > page.length / 2) {
      this.append(source);
    } else {
      this.reserve(length);
      const start = used | 0;
      for (let i = 0; i < length; i++) page[start + i] = source[i] as number;
      used = start + length;
    }
  }

  /** Writes a finite number. */
  number(value: number): void {
    if (value >= 0 && (value | 0) === value) this.wholeNumber(value | 0);
    else this.ascii(String(value));
  }

  private wholeNumber(value: number): void {
    let digits = 1;
    for (let rest = value; rest >= 10; rest = (rest / 10) | 0) digits++;
    this.reserve(digits);
    const end = (used + digits) | 0;
    for (let at = end - 1, rest = value; at >= used; at--) {
      const tenth = (rest / 10) | 0;
      page[at] = ZERO + rest - tenth * 10;
      rest = tenth;
    }
    used = end;
  }

  /**
   * Writes a string. Returns `false`, and writes nothing, if there would be more than `limit` bytes.
   *
   * @param isClean whether it is known to contain no secret
   */
  string(text: string, limit: number, isClean = false): boolean {
    return (text.length <= SHORT_STRING && this.shortString(text)) || this.longString(text, limit, isClean);
  }

  /** Copies a short string of plain ASCII, the most frequent kind. Returns `false` for other strings. */
  private shortString(text: string): boolean {
    const { length } = text;
    this.reserve(length + 2);
    const start = (used + 1) | 0;
    let escaped = 0;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > LAST_ASCII) return false;
      escaped |= IS_ESCAPED[code] as number;
      page[start + i] = code;
    }
    if (escaped !== 0) return false;
    page[start - 1] = QUOTE;
    page[start + length] = QUOTE;
    used = start + length + 1;
    return true;
  }

  private longString(text: string, limit: number, isClean: boolean): boolean {
    const start = this.length;
    if (start + text.length > limit) return false;
    this.byte(QUOTE);
    for (let from = 0; from < text.length;) {
      const to = findChunkEnd(text, from, CHUNK);
      this.chunk(from === 0 && to === text.length ? text : text.slice(from, to));
      from = to;
      if (this.length > limit) {
        this.truncate(start);
        return false;
      }
    }
    this.byte(QUOTE);
    if (isClean) this.markClean(start);
    return true;
  }

  private chunk(text: string): void {
    this.reserve(text.length * MOST_BYTES);
    const length = encodeChunk(text, used);
    // The platform writes half of a surrogate pair as an escape in JSON; UTF-8 has no place for it.
    if (length !== text.length && !isWellFormed(text))
      this.copy(Buffer.from(JSON.stringify(text).slice(1, -1)));
    else used = escapeChunk(used, length);
  }

  private reserve(more: number): void {
    if (used + more > page.length) this.spill();
  }

  /** Moves the bytes from the page to `spilled`. */
  spill(): void {
    const bytes = page.subarray(0, used);
    used = 0;
    this.append(bytes);
  }

  private append(bytes: Uint8Array): void {
    if (used > 0) this.spill();
    const needed = this.spilledBytes + bytes.length;
    if (needed > this.spilled.length) {
      const larger = Buffer.alloc(Math.max(needed, this.spilled.length * 2));
      larger.set(this.spilled.subarray(0, this.spilledBytes));
      this.spilled = larger;
    }
    this.spilled.set(bytes, this.spilledBytes);
    this.spilledBytes = needed;
  }
}

/** Makes an instance the owner of the page, after spilling the previous owner's bytes. @returns the previous owner */
function begin(next: JsonBytes): JsonBytes | undefined {
  const outer = owner;
  outer?.spill();
  owner = next;
  return outer;
}
