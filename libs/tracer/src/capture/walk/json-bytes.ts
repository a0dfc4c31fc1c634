import type { ByteString } from '../../byte-string.js';
import { ESCAPED } from './byte-classes.js';
import { CHUNK, encodeChunk, escapeChunk, MOST_BYTES, sharedPage } from './page.js';
import { findChunkEnd, isWellFormed } from './string-chunks.js';

/** Up to this length a string is copied character by character, without a call to the platform. */
const SHORT_STRING = 48;
/** Fewer bytes hold no secret: one in a property has eight characters, and one in a list has a name before it. */
const SHORTEST_READ = 8;
/** A longer list of places is not kept for the next value. */
const PLACES_KEPT = 4096;
const QUOTE = 0x22;
const ZERO = 0x30;
const LAST_ASCII = 0x7f;

/** Bindings of another module are looked up at each use; these are not. */
const { page, pageBuffer } = sharedPage();
const IS_ESCAPED = ESCAPED;

/** Whose bytes are on the page, and how many. Read as `used | 0`: the engine then counts in whole numbers. */
let owner: JsonBytes | undefined;
let used = 0;

/**
 * JSON as UTF-8. Takes less time than `JSON.stringify`: no string is made but the last one.
 *
 * The contract of the encoder:
 * - There is one page in the process (`page.ts`), and it has one owner: the `JsonBytes` that was opened last and is not
 *   closed. Nobody else writes to it. `used` is how much of it the owner has filled.
 * - Between `open` and `close` another one may be opened and closed, by code of the host that a walk runs, or to hash what
 *   is cut. What is on the page then leaves it first, for the `spilled` bytes of its owner, who has the page back, empty, when
 *   the other closes. So nobody keeps a position on the page across code that may open another.
 * - A page that is full is spilled too. `length`, `truncate` and `set` count both: they mean the same before and after.
 */
export class JsonBytes {
  private outer: JsonBytes | undefined;
  /** What has left the page. */
  private spilled = Buffer.alloc(0);
  private spilledBytes = 0;
  /** Where bytes without secrets begin and end, as far as `cleanPlaces` says. */
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

  /** How many bytes there are. */
  get length(): number {
    return this.spilledBytes + used;
  }

  toByteString(): ByteString {
    if (this.spilledBytes === 0) return pageBuffer.toString('latin1', 0, used) as ByteString;
    this.spill();
    return this.spilled.toString('latin1', 0, this.spilledBytes) as ByteString;
  }

  /** Where the bytes stand now, until more is written. */
  get bytes(): Uint8Array {
    if (this.spilledBytes === 0) return page;
    this.spill();
    return this.spilled;
  }

  /** No secret begins in what was written since `start`. */
  markClean(start: number): void {
    const { clean, cleanPlaces } = this;
    if (cleanPlaces === 0 || clean[cleanPlaces - 1] !== start) {
      clean[cleanPlaces] = start;
      this.cleanPlaces += 2;
    }
    clean[this.cleanPlaces - 1] = this.length;
  }

  /** Whether `look` says so of the bytes between two places that were not marked as clean. */
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

  /** Takes back all after the first `length` bytes. */
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

  /** Writes JSON that is all ASCII, and shorter than the page. */
  ascii(json: string): void {
    const { length } = json;
    this.reserve(length);
    const start = used | 0;
    for (let i = 0; i < length; i++) page[start + i] = json.charCodeAt(i);
    used = start + length;
  }

  /** Writes bytes that were made before. */
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

  /** Writes a number that JSON has a word for. */
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
   * Writes a string; `false` when there would then be more than `limit` bytes, and nothing is written.
   *
   * @param isClean there is no secret in it
   */
  string(text: string, limit: number, isClean = false): boolean {
    return (text.length <= SHORT_STRING && this.shortString(text)) || this.longString(text, limit, isClean);
  }

  /** Copies a short string of plain ASCII, as most are; `false` when it is not one. */
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

  /** Moves what is on the page away from it. */
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

/** Gives the page to another, whose bytes leave it. @returns whose it was */
function begin(next: JsonBytes): JsonBytes | undefined {
  const outer = owner;
  outer?.spill();
  owner = next;
  return outer;
}
