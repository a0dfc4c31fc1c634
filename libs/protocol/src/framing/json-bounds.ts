const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const COLON = 0x3a;
/** Characters: `"":0,`. */
const SHORTEST_MEMBER = 5;

/** Whether `json` nests deeper than `limit`. Does not parse it, since a parser would recurse before it fails. */
export function isDeeperThan(json: string, limit: number): boolean {
  if (!hasMoreOpenings(json, limit)) return false;
  let depth = 0;
  for (let i = 0; i < json.length; i++) {
    const char = json.charCodeAt(i);
    if (char === QUOTE) i = findStringEnd(json, i);
    else if (OPENING.has(char)) {
      if (++depth > limit) return true;
    } else if (CLOSING.has(char)) depth--;
  }
  return false;
}

/** Index of the closing quote of the string at `start`. Skips to the first quote, and scans by character only if that is escaped. */
export function findStringEnd(json: string, start: number): number {
  const end = json.indexOf('"', start + 1);
  if (end === -1) return json.length;
  let backslashes = 0;
  while (json.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 0 ? end : walkToEnd(json, end + 1);
}

/** Scans by character: with many escaped quotes this is several times faster than repeated `indexOf`. */
function walkToEnd(json: string, start: number): number {
  for (let at = start; at < json.length; at++) {
    const char = json.charCodeAt(at);
    if (char === QUOTE) return at;
    if (char === BACKSLASH) at++;
  }
  return json.length;
}

/** Upper bound of {@link isDeeperThan}: most texts have too few brackets to exceed any limit. */
function hasMoreOpenings(json: string, limit: number): boolean {
  return count(json, '{', limit) + count(json, '[', limit) > limit;
}

/** Upper bound of the number of arrays and objects in `json`: also counts brackets in strings. */
export function countOpenings(json: string): number {
  return count(json, '{') + count(json, '[');
}

/** Whether the objects of `json` have more than `limit` members in all, without parsing it. */
export function hasMoreMembers(json: string, limit: number): boolean {
  if (json.length <= limit * SHORTEST_MEMBER || count(json, ':', limit) <= limit) return false;
  let members = 0;
  for (let i = 0; i < json.length; i++) {
    const char = json.charCodeAt(i);
    if (char === QUOTE) i = findStringEnd(json, i);
    else if (char === COLON && ++members > limit) return true;
  }
  return false;
}

/** Stops counting above `most`. */
function count(text: string, part: string, most = Infinity): number {
  let found = 0;
  for (let at = text.indexOf(part); at !== -1 && found <= most; at = text.indexOf(part, at + 1)) found++;
  return found;
}
