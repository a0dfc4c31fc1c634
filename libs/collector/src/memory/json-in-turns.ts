import type { Turns } from './turns.js';

/** How much of a value is made JSON in one go: roughly its characters, and eight for each number, array and object. */
const IN_ONE_GO = 64 * 1024;

/** Characters of JSON made in a turn; other requests have theirs in between. */
const CHARACTERS_IN_A_TURN = 256 * 1024;

/**
 * Items of an array that are looked at in one go, as a part of it. V8 keeps numbers without an object for each; code that has seen other
 * arrays makes such objects of a whole array when it reads one item, which takes a tenth of a second of a million.
 */
const ITEMS_AT_ONCE = 4096;

/** Whether `JSON.stringify` takes so short a time for a value that nobody waits for it. */
export function isSmall(value: unknown): boolean {
  return weigh(value, IN_ONE_GO) <= IN_ONE_GO;
}

/**
 * The JSON of plain data, as `JSON.stringify` makes it, without holding up the event loop for long. Objects' `toJSON` is not called.
 *
 * @param take gets the JSON piece by piece; several pieces are one character at least
 */
export async function stringifyInTurns(
  value: unknown,
  turns: Pick<Turns, 'next'>,
  take: (piece: string) => void,
): Promise<void> {
  let pieces: string[] = [];
  let characters = 0;
  for (const piece of piecesOf(value)) {
    pieces.push(piece);
    characters += piece.length;
    if (characters < CHARACTERS_IN_A_TURN) continue;
    take(pieces.join(''));
    pieces = [];
    characters = 0;
    await turns.next();
  }
  take(pieces.join(''));
}

function* piecesOf(value: unknown): Generator<string> {
  if (typeof value === 'string' && value.length > IN_ONE_GO) yield* stringPieces(value);
  else if (typeof value !== 'object' || value === null || isSmall(value)) yield JSON.stringify(value ?? null);
  else if (Array.isArray(value)) yield* arrayPieces(value);
  else yield* objectPieces(value);
}

/** A pair of surrogates is not taken apart: each half alone would be escaped. */
function* stringPieces(text: string): Generator<string> {
  yield '"';
  for (let start = 0; start < text.length;) {
    const end = start + IN_ONE_GO;
    const next = /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end + 1 : end;
    yield JSON.stringify(text.slice(start, next)).slice(1, -1);
    start = next;
  }
  yield '"';
}

function* arrayPieces(items: readonly unknown[]): Generator<string> {
  yield '[';
  let comma = '';
  for (let start = 0; start < items.length; start += ITEMS_AT_ONCE) {
    for (const group of groupsOf(items.slice(start, start + ITEMS_AT_ONCE), (item) => item)) {
      yield comma;
      comma = ',';
      if (isLarge(group)) yield* piecesOf(group[0]);
      else yield JSON.stringify(group).slice(1, -1);
    }
  }
  yield ']';
}

function* objectPieces(value: object): Generator<string> {
  yield '{';
  let comma = '';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  for (const group of groupsOf(members, ([, member]) => member)) {
    yield comma;
    comma = ',';
    const [first] = group;
    if (first !== undefined && isLarge([first[1]])) {
      yield `${JSON.stringify(first[0])}:`;
      yield* piecesOf(first[1]);
    } else yield JSON.stringify(Object.fromEntries(group)).slice(1, -1);
  }
  yield '}';
}

function isLarge([first, ...others]: readonly unknown[]): boolean {
  return others.length === 0 && !isSmall(first);
}

/** Those that are small together; each that is not, alone. */
function* groupsOf<T>(items: readonly T[], valueOf: (item: T) => unknown): Generator<T[]> {
  let group: T[] = [];
  let weight = 0;
  for (const item of items) {
    const own = weigh(valueOf(item), IN_ONE_GO);
    if (group.length > 0 && weight + own > IN_ONE_GO) {
      yield group;
      group = [];
      weight = 0;
    }
    group.push(item);
    weight += own;
  }
  if (group.length > 0) yield group;
}

/** @returns more than `most` as soon as it is known to be more */
function weigh(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  let weight = 8;
  if (Array.isArray(value)) {
    if (value.length > ITEMS_AT_ONCE) return weighParts(value, most);
    for (let index = 0; index < value.length && weight <= most; index++) {
      weight += weigh(value[index], most - weight);
    }
    return weight;
  }
  for (const name in value) {
    weight += name.length + weigh((value as Record<string, unknown>)[name], most - weight);
    if (weight > most) return weight;
  }
  return weight;
}

function weighParts(items: readonly unknown[], most: number): number {
  let weight = 0;
  for (let start = 0; start < items.length && weight <= most; start += ITEMS_AT_ONCE) {
    weight += weigh(items.slice(start, start + ITEMS_AT_ONCE), most - weight);
  }
  return weight;
}
