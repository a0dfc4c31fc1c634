import type { Turns } from './turns.js';

/** A value is small up to this weight: its characters, plus eight for each number, array and object, roughly. */
const SMALL_WEIGHT = 64 * 1024;

const CHARACTERS_IN_A_TURN = 256 * 1024;

/**
 * Long arrays are read in slices. V8 stores numbers unboxed, and may box a whole array when code that has seen other arrays reads one
 * item, which takes 0.1 s for a million numbers.
 */
const ITEMS_AT_ONCE = 4096;

/** Whether `JSON.stringify` writes the value fast enough to do it at once. */
export function isSmall(value: unknown): boolean {
  return weigh(value, SMALL_WEIGHT) <= SMALL_WEIGHT;
}

/**
 * Writes plain data as `JSON.stringify` does, without blocking the event loop for long. Does not call `toJSON`.
 *
 * @param take receives the JSON piece by piece; if there are several pieces, none is empty
 */
export async function stringifyInTurns(
  value: unknown,
  turns: Pick<Turns, 'next'>,
  take: (piece: string) => void,
): Promise<void> {
  let pieces: string[] = [];
  let characters = 0;
  for (const piece of valuePieces(value)) {
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

function* valuePieces(value: unknown): Generator<string> {
  if (typeof value === 'string' && value.length > SMALL_WEIGHT) yield* stringPieces(value);
  else if (typeof value !== 'object' || value === null || isSmall(value)) yield JSON.stringify(value ?? null);
  else if (Array.isArray(value)) yield* arrayPieces(value);
  else yield* objectPieces(value);
}

/** Does not split surrogate pairs: each half alone would be escaped. */
function* stringPieces(text: string): Generator<string> {
  yield '"';
  for (let start = 0; start < text.length;) {
    const end = start + SMALL_WEIGHT;
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
    for (const group of groupBySize(items.slice(start, start + ITEMS_AT_ONCE), (item) => item)) {
      yield comma;
      comma = ',';
      if (isLarge(group)) yield* valuePieces(group[0]);
      else yield JSON.stringify(group).slice(1, -1);
    }
  }
  yield ']';
}

function* objectPieces(value: object): Generator<string> {
  yield '{';
  let comma = '';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  for (const group of groupBySize(members, ([, member]) => member)) {
    yield comma;
    comma = ',';
    const [first] = group;
    if (first !== undefined && isLarge([first[1]])) {
      yield `${JSON.stringify(first[0])}:`;
      yield* valuePieces(first[1]);
    } else yield JSON.stringify(Object.fromEntries(group)).slice(1, -1);
  }
  yield '}';
}

function isLarge([first, ...others]: readonly unknown[]): boolean {
  return others.length === 0 && !isSmall(first);
}

/** Groups items that are small together. A large item is a group of its own. */
function* groupBySize<T>(items: readonly T[], getValue: (item: T) => unknown): Generator<T[]> {
  let group: T[] = [];
  let weight = 0;
  for (const item of items) {
    const own = weigh(getValue(item), SMALL_WEIGHT);
    if (group.length > 0 && weight + own > SMALL_WEIGHT) {
      yield group;
      group = [];
      weight = 0;
    }
    group.push(item);
    weight += own;
  }
  if (group.length > 0) yield group;
}

/** Stops as soon as the weight exceeds `limit`. */
function weigh(value: unknown, limit: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  let weight = 8;
  if (Array.isArray(value)) {
    if (value.length > ITEMS_AT_ONCE) return weighSlices(value, limit);
    for (let index = 0; index < value.length && weight <= limit; index++) {
      weight += weigh(value[index], limit - weight);
    }
    return weight;
  }
  for (const name in value) {
    weight += name.length + weigh((value as Record<string, unknown>)[name], limit - weight);
    if (weight > limit) return weight;
  }
  return weight;
}

function weighSlices(items: readonly unknown[], limit: number): number {
  let weight = 0;
  for (let start = 0; start < items.length && weight <= limit; start += ITEMS_AT_ONCE) {
    weight += weigh(items.slice(start, start + ITEMS_AT_ONCE), limit - weight);
  }
  return weight;
}
