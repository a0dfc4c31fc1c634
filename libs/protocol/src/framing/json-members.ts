import { endOfString } from './json-bounds.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const LARGE_E = 0x45;
const SMALL_E = 0x65;
const OPENINGS = [0x5b, 0x7b] as const;
const CLOSINGS = [0x5d, 0x7d] as const;
const SPACE = 0x20;
/** Instead of a place in the text. */
const OTHERWISE = -1;

/**
 * The texts of the members of one object within `json`: who stores them as JSON need not encode their values again.
 *
 * @param json what `JSON.parse` takes
 * @param path the names that lead to the object. Of names that are there twice the last one counts, as for `JSON.parse`
 * @returns `undefined` where `path` leads to no object, or where the text is not as `JSON.stringify` writes it: with blanks between
 *   tokens, escapes that need not be, or numbers with an exponent, which may be larger than any double
 */
export function memberTexts(json: string, path: readonly string[]): Map<string, string> | undefined {
  if (json.includes('\\u') || json.includes('\\/')) return undefined;
  const search: Search = { json, path, found: undefined };
  return walkObject(search, 0, 0) === OTHERWISE ? undefined : search.found;
}

interface Search {
  readonly json: string;
  readonly path: readonly string[];
  found: Map<string, string> | undefined;
}

/** @returns where the object that opens at `start` has ended */
function walkObject(search: Search, start: number, depth: number): number {
  const { json, path } = search;
  const isSought = depth === path.length;
  if (isSought) search.found = new Map();
  if (json.charCodeAt(start) !== OPENINGS[1]) return OTHERWISE;
  let at = start + 1;
  if (json.charCodeAt(at) === CLOSINGS[1]) return at + 1;
  for (;;) {
    if (json.charCodeAt(at) !== QUOTE) return OTHERWISE;
    const nameEnd = endOfString(json, at);
    const name = json.slice(at + 1, nameEnd);
    if (name.includes('\\') || json.charCodeAt(nameEnd + 1) !== COLON) return OTHERWISE;
    const begun = nameEnd + 2;
    const isOnPath = !isSought && name === path[depth];
    if (isOnPath) search.found = undefined;
    at =
      isOnPath && json.charCodeAt(begun) === OPENINGS[1]
        ? walkObject(search, begun, depth + 1)
        : endOfValue(json, begun);
    if (at === OTHERWISE) return OTHERWISE;
    if (isSought) search.found?.set(name, json.slice(begun, at));
    if (json.charCodeAt(at) === CLOSINGS[1]) return at + 1;
    if (json.charCodeAt(at) !== COMMA) return OTHERWISE;
    at++;
  }
}

function endOfValue(json: string, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const char = json.charCodeAt(at);
    if (char === QUOTE) {
      at = endOfString(json, at);
      if (depth === 0) return at + 1;
    } else if (char === OPENINGS[0] || char === OPENINGS[1]) depth++;
    else if (char === CLOSINGS[0] || char === CLOSINGS[1]) {
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (char === COMMA) {
      if (depth === 0) return at;
    } else if (char <= SPACE) return OTHERWISE;
    else if (char === SMALL_E || char === LARGE_E) {
      const before = json.charCodeAt(at - 1);
      if (before >= ZERO && before <= NINE) return OTHERWISE;
    }
  }
  return OTHERWISE;
}
