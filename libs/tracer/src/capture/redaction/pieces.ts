import { isJsonObject, type JsonValue, pointerTo } from '@dacapo/protocol';

/** A text in an item, and what takes its place. */
interface Piece {
  readonly text: string;
  readonly put: (text: string) => void;
}

/**
 * Masks the secrets that a stream gave in pieces: what is at one place of its items, one after the other, is one text. Where that
 * holds a secret, the first item has all of the text, masked, and the others none of it: what each piece held would tell of the secret.
 *
 * @param items each masked by itself; they are changed
 * @returns whether there was one
 */
export function maskPieces(items: JsonValue[], mask: (text: string) => string): boolean {
  const texts = new Map<string, Piece[]>();
  for (const [index, item] of items.entries()) gather(item, (text) => (items[index] = text), '', texts);
  let isMasked = false;
  for (const pieces of texts.values()) {
    const text = pieces.map((piece) => piece.text).join('');
    const masked = pieces.length > 1 ? mask(text) : text;
    if (masked === text) continue;
    isMasked = true;
    for (const [index, { put }] of pieces.entries()) put(index === 0 ? masked : '');
  }
  return isMasked;
}

function gather(value: JsonValue, put: Piece['put'], pointer: string, texts: Map<string, Piece[]>): void {
  if (typeof value === 'string') {
    const pieces = texts.get(pointer);
    if (pieces === undefined) texts.set(pointer, [{ text: value, put }]);
    else pieces.push({ text: value, put });
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      gather(item, (text) => (value[index] = text), pointerTo(pointer, index), texts);
  } else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value))
      gather(item, (text) => (value[key] = text), pointerTo(pointer, key), texts);
  }
}
