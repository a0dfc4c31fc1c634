type JsonTokenKind = 'key' | 'string' | 'number' | 'literal' | 'plain';

export interface JsonToken {
  kind: JsonTokenKind;
  text: string;
}

const PATTERN = /("(?:[^"\\]|\\.)*"?)(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;

/** Splits JSON text, complete or cut, into tokens to colour. The joined tokens equal the text. */
export function jsonTokens(text: string): JsonToken[] {
  const tokens: JsonToken[] = [];
  let end = 0;
  for (const match of text.matchAll(PATTERN)) {
    if (match.index > end) tokens.push({ kind: 'plain', text: text.slice(end, match.index) });
    tokens.push({ kind: tokenKind(match), text: match[1] ?? match[0] });
    if (match[2]) tokens.push({ kind: 'plain', text: match[2] });
    end = match.index + match[0].length;
  }
  if (end < text.length) tokens.push({ kind: 'plain', text: text.slice(end) });
  return tokens;
}

function tokenKind([, string, colon, number]: RegExpMatchArray): JsonTokenKind {
  if (string !== undefined) return colon === undefined ? 'string' : 'key';
  return number === undefined ? 'literal' : 'number';
}
