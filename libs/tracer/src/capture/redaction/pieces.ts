import { isJsonObject, type JsonValue, pointerTo } from '@dacapo/protocol';

/** One item of a stream, masked by itself. */
export interface StreamItem {
  readonly json: JsonValue;
  /** Pointers of what is written as base64. */
  readonly bytes: ReadonlySet<string>;
}

/** A stream's items without the secrets that came in pieces. */
export interface MaskedItems {
  readonly items: readonly JsonValue[];
  /** Numbers of the items in which bytes became a text. */
  readonly readable: ReadonlySet<number>;
}

/** A text at one place of an item, and what takes its place. */
interface Piece {
  text: string;
  readonly put: (text: string) => void;
}

/** A token at the end of a piece: its secret may go on in the next one, as lines of a private key do. */
const ENDS_MASKED = /\[redacted(?::[0-9a-f]+)?\]$/;
const STARTS_MASKED = /^\[redacted(?::[0-9a-f]+)?\]/;
const FURTHER = /^[^\s"'<>,;(){}[\]\\]*(?:\s*\n[A-Za-z0-9+/=]{16,}(?=\s|$))*(?:\s*\n?-----END[A-Z ]*-----)?/;
const BEFORE = /[\w.+@/-]{0,256}$/;
/** Where a secret goes on for longer, its pieces do not show it. */
const LOOKED_AT = 16 * 1024;

/**
 * Masks the secrets that a stream gave in pieces: what is at one place of its items, one after the other, is one text. Where that
 * holds a secret, the first item has all of the text, masked, and the others none of it: what each piece held would tell of the secret.
 * Where a piece ends or starts with a masked secret, the word beside it in the next piece is the rest of it. Bytes count as the text that
 * they are.
 *
 * @param maskAlone masks a text that is in one item alone, and masked by itself already
 * @returns `undefined`: there was none
 */
export function maskPieces(
  streamItems: readonly StreamItem[],
  mask: (text: string) => string,
  maskAlone: (text: string) => string = (text) => text,
): MaskedItems | undefined {
  const texts = new Map<string, Piece[]>();
  const items = streamItems.map(({ json }) => json);
  const readable = new Set<number>();
  for (const [index, { json, bytes }] of streamItems.entries())
    gather(
      json,
      (text) => (items[index] = text),
      '',
      texts,
      bytes,
      () => readable.add(index),
    );
  let isMasked = false;
  for (const pieces of texts.values()) {
    const isCut = cutRests(pieces);
    const text = pieces.map((piece) => piece.text).join('');
    const masked = pieces.length === 1 ? maskAlone(text) : mask(text);
    isMasked ||= isCut || masked !== text;
    if (masked !== text)
      for (const [index, piece] of pieces.entries()) piece.text = index === 0 ? masked : '';
    if (isCut || masked !== text) for (const { put, text: shown } of pieces) put(shown);
  }
  return isMasked ? { items, readable } : undefined;
}

/** Takes the rests of masked secrets from the pieces beside them. @returns whether there were any */
function cutRests(pieces: readonly Piece[]): boolean {
  let isCut = false;
  for (const [index, piece] of pieces.entries()) {
    const next = pieces[index + 1];
    if (next === undefined) break;
    if (ENDS_MASKED.test(piece.text)) isCut = cutAfter(pieces, index + 1) || isCut;
    else if (STARTS_MASKED.test(next.text)) {
      const kept = piece.text.replace(BEFORE, '');
      isCut ||= kept !== piece.text;
      piece.text = kept;
    }
  }
  return isCut;
}

function cutAfter(pieces: readonly Piece[], from: number): boolean {
  let text = '';
  for (let i = from; i < pieces.length && text.length < LOOKED_AT; i++) text += pieces[i]?.text ?? '';
  if (STARTS_MASKED.test(text)) return false;
  let rest = FURTHER.exec(text)?.[0].length ?? 0;
  const isCut = rest > 0;
  for (let i = from; rest > 0 && i < pieces.length; i++) {
    const piece = pieces[i] as Piece;
    const { length } = piece.text;
    piece.text = piece.text.slice(rest);
    rest -= length;
  }
  return isCut;
}

function gather(
  value: JsonValue,
  put: Piece['put'],
  pointer: string,
  texts: Map<string, Piece[]>,
  bytes: ReadonlySet<string>,
  becomesReadable: () => void,
): void {
  if (typeof value === 'string') {
    const piece = bytes.has(pointer) ? bytesPiece(value, put, becomesReadable) : { text: value, put };
    const pieces = texts.get(pointer);
    if (pieces === undefined) texts.set(pointer, [piece]);
    else pieces.push(piece);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      gather(item, (text) => (value[index] = text), pointerTo(pointer, index), texts, bytes, becomesReadable);
  } else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value))
      gather(item, (text) => (value[key] = text), pointerTo(pointer, key), texts, bytes, becomesReadable);
  }
}

/** Each byte is one character, until it is put back: then the bytes are the text that they say. */
function bytesPiece(base64: string, put: Piece['put'], becomesReadable: () => void): Piece {
  return {
    text: Buffer.from(base64, 'base64').toString('latin1'),
    put: (text) => {
      becomesReadable();
      put(Buffer.from(text, 'latin1').toString());
    },
  };
}
