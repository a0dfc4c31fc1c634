import { BYTE_CLASS, DIGIT, ESCAPED, MARKS, SHORT_ESCAPE } from './byte-classes.js';

const PAGE_BYTES = 128 * 1024;
/** Up to this length a string is copied character by character, without a call to the platform. */
const SHORT_STRING = 64;
/** Characters of a long string that are encoded at a time. */
const CHUNK = 4 * 1024;
const BYTES_PER_CHARACTER = 3;
const LONGEST_ESCAPE = 6;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const COLON = 0x3a;
const SPACE = 0x20;
const LAST_ASCII = 0x7f;
const HEX = '0123456789abcdef';

/**
 * What is being written stands here first. It is one page for all, and constant, because the engine then knows where
 * it is: a loop over it takes little more than half the time.
 */
const pageBuffer = Buffer.from(new ArrayBuffer(PAGE_BYTES));
const page = new Uint8Array(pageBuffer.buffer);
/** A chunk of a string before it is escaped. */
const rawBuffer = Buffer.from(new ArrayBuffer(CHUNK * BYTES_PER_CHARACTER));
const raw = new Uint8Array(rawBuffer.buffer);
/** Bindings of another module are looked up at each use. */
const CLASSES = BYTE_CLASS;
const LETTERS = SHORT_ESCAPE;
const ESCAPE = ESCAPED;
const DIGIT_CLASS = DIGIT;

/** Whose bytes are on the page, and how many. Read as `used | 0`: the engine then counts in whole numbers. */
let owner: JsonBytes | undefined;
let used = 0;

/**
 * JSON as UTF-8. Takes less time than `JSON.stringify`: no string is made but the last one.
 *
 * Between `open` and `close` another one may be opened and closed, by code of the host that a walk runs.
 */
export class JsonBytes {
  /** Which of `MARKS` were met in strings. */
  marks = 0;
  /** How many digits strings hold, at most. */
  digits = 0;

  private outer: JsonBytes | undefined;
  private isAscii = true;
  /** What has left the page. */
  private spilled = Buffer.alloc(0);
  private spilledBytes = 0;

  open(): void {
    this.outer = begin(this);
    used = this.marks = this.digits = this.spilledBytes = 0;
    this.isAscii = true;
  }

  close(): void {
    owner = this.outer;
    this.outer = undefined;
    used = 0;
  }

  /** How many bytes there are. */
  get length(): number {
    return this.spilledBytes + used;
  }

  toText(): string {
    const encoding = this.isAscii ? 'latin1' : 'utf8';
    if (this.spilledBytes === 0) return pageBuffer.toString(encoding, 0, used);
    this.spill();
    return this.spilled.toString(encoding, 0, this.spilledBytes);
  }

  /** Where the bytes stand now, until more is written. */
  get bytes(): Uint8Array {
    if (this.spilledBytes === 0) return page;
    this.spill();
    return this.spilled;
  }

  /** Takes back all after the first `length` bytes. */
  truncate(length: number): void {
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

  /** Writes JSON that is all ASCII. */
  ascii(json: string): void {
    const { length } = json;
    this.reserve(length);
    const start = used | 0;
    for (let i = 0; i < length; i++) page[start + i] = json.charCodeAt(i);
    used = start + length;
  }

  /** Writes bytes that were made before. */
  copy(source: Uint8Array, isAscii: boolean): void {
    const { length } = source;
    if (length > PAGE_BYTES / 2) {
      this.append(source);
    } else {
      this.reserve(length);
      const start = used | 0;
      for (let i = 0; i < length; i++) page[start + i] = source[i] as number;
      used = start + length;
    }
    if (!isAscii) this.isAscii = false;
  }

  /** Writes a number that JSON has a word for. */
  number(value: number): void {
    if (value >= 0 && value < 10 && (value | 0) === value) this.byte(ZERO + value);
    else this.ascii(String(value));
  }

  /** Writes a string; `false` when there would then be more than `limit` bytes, and nothing is written. */
  string(text: string, limit: number): boolean {
    return (text.length <= SHORT_STRING && this.shortString(text)) || this.longString(text, limit);
  }

  /** Copies a short string of plain ASCII, as most are; `false` when it is not one. */
  private shortString(text: string): boolean {
    const { length } = text;
    this.reserve(length + 2);
    const start = (used + 1) | 0;
    let marks = 0;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > LAST_ASCII) return false;
      marks |= CLASSES[code] as number;
      page[start + i] = code;
    }
    if (marks >= ESCAPE) return false;
    page[start - 1] = QUOTE;
    page[start + length] = QUOTE;
    used = start + length + 1;
    this.marks |= marks;
    if ((marks & DIGIT_CLASS) !== 0) this.digits += length;
    return true;
  }

  private longString(text: string, limit: number): boolean {
    const start = this.length;
    if (start + text.length > limit) return false;
    this.byte(QUOTE);
    for (let from = 0; from < text.length;) {
      const to = endOfChunk(text, from);
      this.chunk(from === 0 && to === text.length ? text : text.slice(from, to));
      from = to;
      if (this.length > limit) {
        this.truncate(start);
        return false;
      }
    }
    this.byte(QUOTE);
    return true;
  }

  private chunk(text: string): void {
    const length = rawBuffer.write(text, 0);
    if (length !== text.length) {
      this.isAscii = false;
      if (!isWellFormed(text)) {
        // The platform writes half of a surrogate pair as an escape in JSON; UTF-8 has no place for it.
        this.copy(Buffer.from(JSON.stringify(text).slice(1, -1)), false);
        return;
      }
    }
    this.reserve(length * LONGEST_ESCAPE);
    this.marks |= escapeRaw(length);
    this.digits += rawDigits;
  }

  private reserve(more: number): void {
    if (used + more > PAGE_BYTES) this.spill();
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

/** How many of the raw bytes were digits. */
let rawDigits = 0;

/** Puts the raw bytes on the page, escaped where they must be. @returns the marks met */
function escapeRaw(length: number): number {
  let at = used | 0;
  let marks = 0;
  let digits = 0;
  for (let i = 0; i < length; i++) {
    const code = raw[i] as number;
    const mark = CLASSES[code] as number;
    if (mark === 0) {
      page[at] = code;
      at = (at + 1) | 0;
    } else {
      if (mark === DIGIT_CLASS) digits = (digits + 1) | 0;
      marks |= code === QUOTE && endsName(i + 1, length) ? MARKS.name : mark;
      at = (mark < ESCAPE ? plain(at, code) : escape(at, code)) | 0;
    }
  }
  used = at;
  rawDigits = digits;
  return marks & ~ESCAPE;
}

/** Whether a colon follows, or the end of what is known. */
function endsName(next: number, length: number): boolean {
  return next >= length || raw[next] === COLON || (raw[next] === SPACE && raw[next + 1] === COLON);
}

function plain(at: number, code: number): number {
  page[at] = code;
  return at + 1;
}

function escape(start: number, code: number): number {
  const letter = LETTERS[code] as number;
  page[start] = BACKSLASH;
  if (letter !== 0) {
    page[start + 1] = letter;
    return start + 2;
  }
  const digits = `u00${code < 16 ? '0' : '1'}${HEX.charAt(code & 15)}`;
  for (let i = 0; i < digits.length; i++) page[start + 1 + i] = digits.charCodeAt(i);
  return start + 1 + digits.length;
}

/** Never between the halves of a surrogate pair. */
function endOfChunk(text: string, from: number): number {
  const end = from + CHUNK;
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}
