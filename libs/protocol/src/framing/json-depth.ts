const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Whether `json` nests deeper than `limit`, without parsing it: a parser would recurse first and fail later. */
export function isDeeperThan(json: string, limit: number): boolean {
  if (!hasMoreOpenings(json, limit)) return false;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < json.length; i++) {
    const char = json.charCodeAt(i);
    if (inString) {
      if (char === BACKSLASH) i++;
      else if (char === QUOTE) inString = false;
    } else if (char === QUOTE) inString = true;
    else if (OPENING.has(char)) {
      if (++depth > limit) return true;
    } else if (CLOSING.has(char)) depth--;
  }
  return false;
}

/** Whether more than `limit` arrays and objects may open: most texts have too few for any depth to matter. */
function hasMoreOpenings(json: string, limit: number): boolean {
  let openings = 0;
  for (const opening of ['{', '[']) {
    for (let at = json.indexOf(opening); at !== -1; at = json.indexOf(opening, at + 1)) {
      if (++openings > limit) return true;
    }
  }
  return false;
}
