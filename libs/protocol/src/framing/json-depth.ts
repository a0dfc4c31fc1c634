const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Whether `json` nests deeper than `limit`, without parsing it: a parser would recurse first and fail later. */
export function isDeeperThan(json: string, limit: number): boolean {
  if (!hasMoreOpenings(json, limit)) return false;
  let depth = 0;
  for (let i = 0; i < json.length; i++) {
    const char = json.charCodeAt(i);
    if (char === QUOTE) i = endOfString(json, i);
    else if (OPENING.has(char)) {
      if (++depth > limit) return true;
    } else if (CLOSING.has(char)) depth--;
  }
  return false;
}

/** Where the string that opens at `start` closes; long texts are skipped, not walked. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
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
