import { findStringEnd } from './json-bounds.js';

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
/** Returned in place of an index if the text is not supported. */
const UNSUPPORTED = -1;

/**
 * Returns the JSON text of each member of one object in `json`, so that a store need not encode the values again.
 *
 * @param json valid JSON
 * @param path member names that lead to the object. The last of duplicate names counts, as in `JSON.parse`
 * @returns `undefined` if `path` leads to no object, or if `JSON.stringify` would write the text differently: whitespace between
 *   tokens, unnecessary escapes, or numbers with an exponent, which may exceed a double
 */
export function memberTexts(json: string, path: readonly string[]): Map<string, string> | undefined {
  if (json.includes('\\u') || json.includes('\\/')) return undefined;
  const search: Search = { json, path, found: undefined };
  return walkObject(search, 0, 0) === UNSUPPORTED ? undefined : search.found;
}

interface Search {
  readonly json: string;
  readonly path: readonly string[];
  found: Map<string, string> | undefined;
}

/** @returns the index after the object at `start` */
function walkObject(search: Search, start: number, depth: number): number {
  const { json, path } = search;
  const isSought = depth === path.length;
  if (isSought) search.found = new Map();
  if (json.charCodeAt(start) !== OPENINGS[1]) return UNSUPPORTED;
  let at = start + 1;
  if (json.charCodeAt(at) === CLOSINGS[1]) return at + 1;
  for (;;) {
    if (json.charCodeAt(at) !== QUOTE) return UNSUPPORTED;
    const nameEnd = findStringEnd(json, at);
    const name = json.slice(at + 1, nameEnd);
    if (name.includes('\\') || json.charCodeAt(nameEnd + 1) !== COLON) return UNSUPPORTED;
    const begun = nameEnd + 2;
    const isOnPath = !isSought && name === path[depth];
    if (isOnPath) search.found = undefined;
    at =
      isOnPath && json.charCodeAt(begun) === OPENINGS[1]
        ? walkObject(search, begun, depth + 1)
        : findValueEnd(json, begun);
    if (at === UNSUPPORTED) return UNSUPPORTED;
    if (isSought) search.found?.set(name, json.slice(begun, at));
    if (json.charCodeAt(at) === CLOSINGS[1]) return at + 1;
    if (json.charCodeAt(at) !== COMMA) return UNSUPPORTED;
    at++;
  }
}

function findValueEnd(json: string, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const char = json.charCodeAt(at);
    if (char === QUOTE) {
      at = findStringEnd(json, at);
      if (depth === 0) return at + 1;
    } else if (char === OPENINGS[0] || char === OPENINGS[1]) depth++;
    else if (char === CLOSINGS[0] || char === CLOSINGS[1]) {
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (char === COMMA) {
      if (depth === 0) return at;
    } else if (char <= SPACE) return UNSUPPORTED;
    else if (char === SMALL_E || char === LARGE_E) {
      const before = json.charCodeAt(at - 1);
      if (before >= ZERO && before <= NINE) return UNSUPPORTED;
    }
  }
  return UNSUPPORTED;
}
