/**
 * The kind of a match. `name`: a word of secret names. `foreign`: password in another language. `literal`: a word that a pattern needs.
 * `digits`: four digits. `hex`: a dash between hexadecimal digits. `port`: two digits after a colon.
 */
export type HintKind = 'name' | 'foreign' | 'literal' | Form;

type Form = 'digits' | 'hex' | 'port';

/**
 * @param start the first byte of a word, or the second pair of the window for other kinds
 * @returns where to continue; 0: after the match; `STOP`: stop the search
 */
export type HintCheck = (kind: HintKind, start: number, end: number) => number;

export const STOP = -1;

type Bytes = readonly number[];

const IS_LITTLE = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
const LETTER_BIT = 0x20;
const PAIRS = 256 * 256;
const GROUPS = 16;
const ANY: Bytes = Array.from({ length: 256 }, (_, byte) => byte);
const DIGIT = ANY.slice(0x30, 0x3a);
const HEX = [...DIGIT, ...ANY.slice(0x61, 0x67)];
const COLON: Bytes = [0x3a];
const DASH: Bytes = [0x2d];
/** After 32 digits and a dash follow `us12` or more digits. */
const HEX_OR_U = [...HEX, 0x75];
const HEX_OR_S = [...HEX, 0x73];
/** Each has its own group. */
const FORMS: readonly (readonly [kind: Form, window: readonly Bytes[]])[] = [
  ['digits', [DIGIT, DIGIT, DIGIT, DIGIT]],
  ['hex', [HEX, HEX, DASH, HEX_OR_U]],
  ['hex', [HEX, DASH, HEX_OR_U, HEX_OR_S]],
  ['port', [COLON, DIGIT, DIGIT, [...DIGIT, ...COLON]]],
  ['port', [ANY, COLON, DIGIT, DIGIT]],
];
const WORD_GROUPS = GROUPS - FORMS.length;
const FIRST_FORM = 1 << WORD_GROUPS;
/** Characters by their frequency in texts, most frequent first. */
const FREQUENT = ' etaoinsrhldcumfpgwybv0123456789-.,"kx:/jqz=';

/** Four bytes of a word, from an even or an odd index. */
interface Window {
  readonly kind: HintKind;
  readonly word: Uint8Array;
  readonly isFolded: boolean;
  readonly offset: number;
  readonly sets: readonly Bytes[];
}

/**
 * Finds words in a text in one pass, of one look-up for two bytes. A window of each word is known by its two pairs of bytes: `table` has
 * for each pair a bit for each group of windows that it begins, and a bit for each that it ends.
 */
export class HintScan {
  private readonly table = new Uint32Array(PAIRS);
  /** Indexed by the two bytes in the middle. */
  private readonly windows = new Map<number, Window[]>();
  private bytes: Uint8Array = new Uint8Array(0);
  private pairs: Uint16Array = new Uint16Array(0);

  /** @param names in lower case, matched in any case; the other words are case-sensitive. All have at least three bytes. */
  constructor(words: { names: Iterable<string>; foreign: Iterable<string>; literals: Iterable<string> }) {
    const windows = [
      ...toWindows('name', words.names),
      ...toWindows('foreign', words.foreign),
      ...toWindows('literal', words.literals),
    ];
    for (const [window, group] of shareOut(windows)) {
      this.mark(window.sets, 1 << group);
      for (const one of window.sets[1] ?? ANY)
        for (const other of window.sets[2] ?? ANY) {
          const same = this.windows.get((one << 8) | other);
          if (same === undefined) this.windows.set((one << 8) | other, [window]);
          else same.push(window);
        }
    }
    for (const [index, [, window]] of FORMS.entries()) this.mark(window, FIRST_FORM << index);
  }

  private mark(
    [first = ANY, second = ANY, third = ANY, fourth = ANY]: readonly Bytes[],
    group: number,
  ): void {
    const { table } = this;
    for (const one of first) for (const other of second) (table[packPair(one, other)] as number) |= group;
    for (const one of third)
      for (const other of fourth) (table[packPair(one, other)] as number) |= group << GROUPS;
  }

  /** Whether `check` stops at a match in the range. The bytes must begin at an even address. */
  some(bytes: Uint8Array, from: number, to: number, check: HintCheck): boolean {
    const { table } = this;
    if (bytes !== this.bytes) {
      this.bytes = bytes;
      this.pairs = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1);
    }
    const { pairs } = this;
    const last = to >> 1;
    let before = 0;
    for (let pair = from >> 1; pair < last; pair = (pair + 1) | 0) {
      const groups = table[pairs[pair] as number] as number;
      const hit = before & (groups >>> GROUPS);
      before = groups;
      if (hit === 0) continue;
      const at = pair * 2;
      const next =
        hit < FIRST_FORM
          ? this.look(bytes, at, from, to, check)
          : this.lookAtForms(hit, bytes, at, from, to, check);
      if (next === STOP) return true;
      if (next <= at + 2) continue;
      pair = (next >> 1) - 1;
      before = 0;
    }
    return false;
  }

  private look(bytes: Uint8Array, at: number, from: number, to: number, check: HintCheck): number {
    let next = 0;
    const windows = this.windows.get(((bytes[at - 1] as number) << 8) | (bytes[at] as number));
    if (windows === undefined) return next;
    for (const window of windows) {
      const start = at - 2 - window.offset;
      const end = start + window.word.length;
      if (start < from || end > to || !isAt(bytes, start, window)) continue;
      const then = check(window.kind, start, end);
      if (then === STOP) return STOP;
      next = Math.max(next, then);
    }
    return next;
  }

  private lookAtForms(
    hit: number,
    bytes: Uint8Array,
    at: number,
    from: number,
    to: number,
    check: HintCheck,
  ): number {
    const words = hit % FIRST_FORM === 0 ? 0 : this.look(bytes, at, from, to, check);
    const [form] = FORMS[31 - Math.clz32(hit) - WORD_GROUPS] as (typeof FORMS)[number];
    const next = words === STOP ? STOP : check(form, at, to);
    return next === STOP ? STOP : Math.max(words, next);
  }
}

/** Packs a pair in this machine's byte order. */
function packPair(first: number, second: number): number {
  return IS_LITTLE ? (second << 8) | first : (first << 8) | second;
}

function isAt(bytes: Uint8Array, start: number, { word, isFolded }: Window): boolean {
  for (let i = 0; i < word.length; i++) {
    const byte = bytes[start + i] as number;
    const wanted = word[i] as number;
    if (byte !== wanted && !(isFolded && isLower(wanted) && (byte | LETTER_BIT) === wanted)) return false;
  }
  return true;
}

/** Two windows for each word, so that a scan of every second pair meets one of them wherever the word begins. */
function toWindows(kind: HintKind, words: Iterable<string>): Window[] {
  const encoder = new TextEncoder();
  const isFolded = kind === 'name';
  return [...new Set(words)].flatMap((text) => {
    const word = encoder.encode(text);
    const sets = Array.from(word, (byte) =>
      isFolded && isLower(byte) ? [byte, byte & ~LETTER_BIT] : [byte],
    );
    return [0, -1].map((first) => {
      let offset = first;
      for (let at = first; at + 2 < sets.length; at += 2)
        if (estimateShare(setsFrom(sets, at)) < estimateShare(setsFrom(sets, offset))) offset = at;
      return { kind, word, isFolded, offset, sets: setsFrom(sets, offset) };
    });
  });
}

function setsFrom(sets: readonly Bytes[], offset: number): readonly Bytes[] {
  return [0, 1, 2, 3].map((i) => sets[offset + i] ?? ANY);
}

/** Assigns a group to each window so that few unrelated pairs share a group by chance. */
function shareOut(windows: readonly Window[]): (readonly [Window, number])[] {
  const groups = Array.from({ length: WORD_GROUPS }, () => ({ begin: new Pairs(), end: new Pairs() }));
  return windows.map((window) => {
    const [begin, end] = [window.sets.slice(0, 2), window.sets.slice(2)];
    const costs = groups.map(
      (group) => group.begin.with(begin) * group.end.with(end) - group.begin.share * group.end.share,
    );
    const best = costs.indexOf(Math.min(...costs));
    groups[best]?.begin.add(begin);
    groups[best]?.end.add(end);
    return [window, best];
  });
}

/** Pairs of bytes, and their approximate share of a text. */
class Pairs {
  share = 0;
  private readonly known = new Set<number>();

  with(sets: readonly Bytes[]): number {
    return this.known.has(packKey(sets)) ? this.share : this.share + estimateShare(sets);
  }

  add(sets: readonly Bytes[]): void {
    this.share = this.with(sets);
    this.known.add(packKey(sets));
  }
}

function packKey(sets: readonly Bytes[]): number {
  return sets.reduce((key, set) => key * 257 + (set === ANY ? 256 : (set[0] ?? 0)), 0);
}

/** Estimates how often such bytes occur at a position. */
function estimateShare(sets: readonly Bytes[]): number {
  return sets.reduce((share, set) => {
    if (set === ANY) return share;
    const rank = FREQUENT.indexOf(String.fromCharCode(set[0] ?? 0));
    return share * (rank < 0 ? 0.002 : 0.12 * 0.9 ** rank);
  }, 1);
}

function isLower(byte: number): boolean {
  return byte >= 0x61 && byte <= 0x7a;
}
