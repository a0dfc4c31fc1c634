/** What a hint calls for. `name`: the name of a secret may be here. `literal`: a word that a pattern needs. `digits`: a long number. */
export type HintKind = 'name' | 'literal' | 'digits';

/** @param end after the last byte of the word, or of the row of digits */
export type HintCheck = (kind: HintKind, start: number, end: number) => boolean;

const LETTER_BIT = 0x20;
const ZERO = 0x30;
const SHORTEST_NUMBER = 13;
/** Of Mailgun, before a dash. */
const HEX_KEY = 32;
const PAIRS = 256 * 256;
/** Pairs that texts have often, the most frequent first: bad places to look for a rare word. */
const FREQUENT =
  'e |th|he| t|s |in|d |er|an|t | a|re|n |on|at| s|en|nd|ti|es|or|te| o|of|ed|y |is|it|al|ar| i|st|to|nt|ng|se|ha| w|r |as|ou|io|le| c|ve|co|me|de|' +
  'hi|ri|ro|ic|ne|ea|ra|ce| m| b| p|li|ch|ll|be|ma|si|om|ur|o |l |f | f|ct|id|ta|la|il|us|ec|ge|ut|ss|et|ot|tr|ac|di|un|ol|ns|ly|wh|ie|ee|so|no|na|lo|ow|' +
  'ho|po|pe|pa|mo|sh|ke|da|do|ca|fo|am|ul|em|sa|ad|el|wa|wi|rs|ai|ir|ex|pl|pr|op|bo|bu|ay|ev|ts|up|im|vi|ag|ck|ab|os|ig|iv|av|mi|av|if|tu|oo|ew|ld|ki|gr|';
const RANKS = new Map(FREQUENT.split('|').map((pair, rank, pairs) => [pair, pairs.length - rank]));

interface Word {
  readonly bytes: Uint8Array;
  readonly kind: HintKind;
  readonly isFolded: boolean;
}

/**
 * Finds words in a text in one pass that takes less than a nanosecond a byte: it looks at every second pair of bytes, and
 * knows of each word its rarest pair at an even and at an odd place.
 */
export class HintScan {
  /** Of each pair the index of its list in `places`; 0: none. */
  private readonly table = new Uint16Array(PAIRS);
  private readonly places: { readonly word: Word; readonly offset: number }[][] = [[], []];
  /** Of each list which bytes may be before its pair, and after it: most pairs are passed over by these. */
  private readonly before: Uint8Array;
  private readonly after: Uint8Array;

  /** @param names in lower case, found in any case; @param literals found as they are. Each has three bytes at least. */
  constructor(names: Iterable<string>, literals: Iterable<string>) {
    for (let first = ZERO; first < ZERO + 10; first++)
      for (let second = ZERO; second < ZERO + 10; second++) this.table[(first << 8) | second] = 1;
    const encoder = new TextEncoder();
    for (const name of new Set(names))
      this.add({ bytes: encoder.encode(name), kind: 'name', isFolded: true });
    for (const literal of new Set(literals))
      this.add({ bytes: encoder.encode(literal), kind: 'literal', isFolded: false });
    this.before = this.neighbours(-1);
    this.after = this.neighbours(2);
  }

  private neighbours(distance: number): Uint8Array {
    const allowed = new Uint8Array(this.places.length * 256);
    for (const [list, places] of this.places.entries())
      for (const { word, offset } of places) {
        const byte = word.bytes[offset + distance];
        if (byte === undefined) allowed.fill(1, list * 256, list * 256 + 256);
        else for (const one of lettersOf(byte, word.isFolded)) allowed[list * 256 + one] = 1;
      }
    return allowed;
  }

  private add(word: Word): void {
    // One of the two is met by a scan that looks at every second pair, wherever the word begins.
    for (const at of [rarestPlace(word.bytes, 0), rarestPlace(word.bytes, 1)])
      for (const pair of casesOf(word.bytes[at] ?? 0, word.bytes[at + 1] ?? 0, word.isFolded)) {
        let list = this.table[pair] as number;
        // A pair of digits has no list of its own.
        if (list <= 1) this.table[pair] = list = this.places.push([]) - 1;
        this.places[list]?.push({ word, offset: at });
      }
  }

  /** Whether `check` says yes to one of the words in the first `length` bytes. A word may be met twice. */
  some(bytes: Uint8Array, length: number, check: HintCheck): boolean {
    const { table, before, after } = this;
    const last = length - 1;
    let numberEnd = 0;
    for (let at = 0; at < last; at = (at + 2) | 0) {
      const list = table[((bytes[at] as number) << 8) | (bytes[at + 1] as number)] as number;
      if (list === 0) continue;
      if (at >= numberEnd && isDigit(bytes[at] as number) && isDigit(bytes[at + 1] as number)) {
        numberEnd = endOfNumber(bytes, at, length);
        if (numberEnd < 0) {
          numberEnd = -numberEnd;
          if (check('digits', at, numberEnd)) return true;
        }
      }
      if (list <= 1 || after[(list << 8) | (bytes[at + 2] ?? 0)] === 0) continue;
      if (before[(list << 8) | (bytes[at - 1] ?? 0)] === 0) continue;
      if (this.check(list, bytes, at, length, check)) return true;
    }
    return false;
  }

  private check(list: number, bytes: Uint8Array, at: number, length: number, check: HintCheck): boolean {
    const places = this.places[list] as (typeof this.places)[number];
    for (let i = 0; i < places.length; i++) {
      const { word, offset } = places[i] as (typeof places)[number];
      const start = at - offset;
      const end = start + word.bytes.length;
      if (start < 0 || end > length || !isAt(bytes, start, word)) continue;
      if (check(word.kind, start, end)) return true;
    }
    return false;
  }
}

function isAt(bytes: Uint8Array, start: number, { bytes: word, isFolded }: Word): boolean {
  for (let i = 0; i < word.length; i++) {
    const byte = bytes[start + i] as number;
    const wanted = word[i] as number;
    if (byte !== wanted && !(isFolded && isLower(wanted) && (byte | LETTER_BIT) === wanted)) return false;
  }
  return true;
}

/** The rarest pair of a word at an even or at an odd place. */
function rarestPlace(word: Uint8Array, from: 0 | 1): number {
  const rank = (at: number): number =>
    RANKS.get(String.fromCharCode(word[at] ?? 0, word[at + 1] ?? 0).toLowerCase()) ?? 0;
  let best: number = from;
  for (let at = from; at + 1 < word.length; at += 2) if (rank(at) < rank(best)) best = at;
  return best;
}

function casesOf(first: number, second: number, isFolded: boolean): number[] {
  return lettersOf(first, isFolded).flatMap((one) =>
    lettersOf(second, isFolded).map((other) => (one << 8) | other),
  );
}

function lettersOf(byte: number, isFolded: boolean): number[] {
  return isFolded && isLower(byte) ? [byte, byte & ~LETTER_BIT] : [byte];
}

function isLower(byte: number): boolean {
  return byte >= 0x61 && byte <= 0x7a;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte < ZERO + 10;
}

/** The end of the row of digits that holds a place; negative when the row may be a card's number, or a key in hex. */
function endOfNumber(bytes: Uint8Array, at: number, length: number): number {
  let start = at;
  while (start > 0 && (isDigit(bytes[start - 1] as number) || isJoint(bytes, start - 1))) start--;
  let end = at;
  let digits = 0;
  for (let i = start; i < length && (isDigit(bytes[i] as number) || isJoint(bytes, i)); i++) {
    if (isDigit(bytes[i] as number)) digits++;
    end = i + 1;
  }
  if (digits >= SHORTEST_NUMBER) return -end;
  let hexStart = at;
  while (hexStart > 0 && isHex(bytes[hexStart - 1] as number)) hexStart--;
  let hexEnd = at;
  while (hexEnd < length && isHex(bytes[hexEnd] as number)) hexEnd++;
  return hexEnd - hexStart === HEX_KEY ? -Math.max(end, hexEnd) : Math.max(end, hexEnd);
}

/** One space or dash between digits. */
function isJoint(bytes: Uint8Array, at: number): boolean {
  const byte = bytes[at];
  return (byte === 0x20 || byte === 0x2d) && isDigit(bytes[at - 1] ?? 0) && isDigit(bytes[at + 1] ?? 0);
}

function isHex(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x61 && byte <= 0x66);
}
