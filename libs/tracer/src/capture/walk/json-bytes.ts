import type { ByteString } from '../../byte-string.js';
import { BYTE_CLASS, DIGIT, ESCAPED, FINDINGS, MARKS } from './byte-classes.js';
import { SHORTEST_TOKEN } from '@dacapo/protocol';
import { holdsKnownToken } from './known-tokens.js';
import { CHUNK, encodeChunk, escapeChunk, MOST_BYTES, met, sharedPage } from './page.js';
import { endOfChunk, isWellFormed } from './string-chunks.js';

/** Up to this length a string is copied character by character, without a call to the platform. */
const SHORT_STRING = 48;
const QUOTE = 0x22;
const SPACE = 0x20;
const ZERO = 0x30;
const LAST_ASCII = 0x7f;

/** Bindings of another module are looked up at each use; these are not. */
const { page, pageBuffer } = sharedPage();
const CLASSES = BYTE_CLASS;
const ESCAPE = ESCAPED;
const ALL_MARKS =
  Object.values(MARKS).reduce((all, mark) => all | mark, 0) | FINDINGS.unread | FINDINGS.longWithDigit;
const TOKEN_MARKS = MARKS.joint | DIGIT;
/** Then the whole is looked at, or redacted, all the same. */
const LOOKED_UP = FINDINGS.token | FINDINGS.unread;
/** The shortest text that is looked for because it has a digit: a sentence that tells a PIN. */
const SHORTEST_WITH_DIGIT = 11;
const TOKEN_LENGTH = SHORTEST_TOKEN;

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
 * - `met` of `page.ts` is true of the chunk that was escaped last, until the next; whoever escapes a chunk takes it at once.
 * - `marks` and `digits` only grow while it is open: taking text back leaves them, so they may say too much, never too little.
 */
export class JsonBytes {
  /** Which of `MARKS` were met in strings, and which of `FINDINGS` are true of one. */
  marks = 0;
  /** How many digits strings hold, at most. */
  digits = 0;

  private outer: JsonBytes | undefined;
  /** What has left the page. */
  private spilled = Buffer.alloc(0);
  private spilledBytes = 0;

  open(): void {
    this.outer = begin(this);
    used = this.marks = this.digits = this.spilledBytes = 0;
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
    if ((marks & DIGIT) !== 0) this.digits += length;
    if ((marks & TOKEN_MARKS) !== 0 && length >= SHORTEST_WITH_DIGIT) this.read(start, used - 1, marks);
    return true;
  }

  private longString(text: string, limit: number): boolean {
    const start = this.length;
    if (start + text.length > limit) return false;
    this.byte(QUOTE);
    let wasRead = false;
    for (let from = 0; from < text.length;) {
      const to = endOfChunk(text, from, CHUNK);
      const chunk = from === 0 && to === text.length ? text : text.slice(from, to);
      const isRead = !isBase64(chunk);
      // A token may begin in one chunk and end in the next.
      if (isRead && wasRead) this.marks |= FINDINGS.unread;
      this.chunk(chunk, isRead);
      wasRead = isRead;
      from = to;
      if (this.length > limit) {
        this.truncate(start);
        return false;
      }
    }
    this.byte(QUOTE);
    return true;
  }

  /** @param isRead `false`: there is no secret in it */
  private chunk(text: string, isRead: boolean): void {
    this.reserve(text.length * MOST_BYTES);
    const length = encodeChunk(text, used);
    if (length !== text.length && !isWellFormed(text)) {
      // The platform writes half of a surrogate pair as an escape in JSON; UTF-8 has no place for it.
      this.copy(Buffer.from(JSON.stringify(text).slice(1, -1)));
      // Nobody looked at what it holds: it may be anything.
      this.marks |= ALL_MARKS;
      this.digits += text.length;
      return;
    }
    const from = used;
    used = escapeChunk(from, length);
    if (!isRead) return;
    const { marks } = met;
    this.marks |= marks;
    this.digits += met.digits;
    if ((marks & TOKEN_MARKS) !== 0) this.read(from, used, marks);
  }

  /** Looks for tokens in a string that stands on the page. */
  private read(start: number, end: number, marks: number): void {
    if ((marks & DIGIT) !== 0) this.marks |= FINDINGS.longWithDigit;
    if (end - start < TOKEN_LENGTH || (this.marks & LOOKED_UP) !== 0) return;
    if (holdsKnownToken(page, start, end)) this.marks |= FINDINGS.token;
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

const UNBROKEN = 1024;
const SAMPLE = 64;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** A private key (PEM) in base64. */
const KEY_HEAD = 'LS0tLS1CRUdJTi';

/** Whether a chunk is base64 without a break, of a picture or a file: most texts have a space among the first characters that are asked for. */
function isBase64(chunk: string): boolean {
  if (chunk.length < UNBROKEN) return false;
  for (let at = 0; at < SAMPLE; at++) if (chunk.charCodeAt(at) === SPACE) return false;
  return BASE64.test(chunk) && !chunk.includes(KEY_HEAD);
}

/** Gives the page to another, whose bytes leave it. @returns whose it was */
function begin(next: JsonBytes): JsonBytes | undefined {
  const outer = owner;
  outer?.spill();
  owner = next;
  return outer;
}
