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

/** A text at one place of an item. */
export interface Piece {
  /** The number of the item. */
  readonly item: number;
  text: string;
  /** Puts a text in its place. */
  readonly put: (text: string) => void;
}

/** What is kept of items or characters. The others are context: they are masked with them, and then dropped. */
export interface Kept {
  readonly from: number;
  /** After the last. */
  readonly to: number;
}

/** Masks the secrets of a text. What it moves stays among the characters that are kept, or among the others. */
type MaskText = (text: string, kept: Kept) => string;

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
 * @param kept numbers of items; default: all
 * @returns all items; `undefined`: there was no secret in those that are kept
 */
export function maskPieces(
  streamItems: readonly StreamItem[],
  mask: MaskText,
  maskAlone: MaskText = (text) => text,
  kept: Kept = { from: 0, to: streamItems.length },
): MaskedItems | undefined {
  const texts = new Map<string, Piece[]>();
  const items = streamItems.map(({ json }) => json);
  const readable = new Set<number>();
  for (const [index, { json, bytes }] of streamItems.entries())
    gather({ item: index, bytes, texts, becomesReadable: () => readable.add(index) }, json, '', (text) => {
      items[index] = text;
    });
  let isMasked = false;
  for (const pieces of texts.values()) {
    const isCut = cutRests(pieces);
    const isOneMasked = maskAsOne(pieces, pieces.length === 1 ? maskAlone : mask, kept);
    if (!isCut && !isOneMasked) continue;
    isMasked = true;
    for (const { put, text } of pieces) put(text);
  }
  return isMasked ? { items, readable } : undefined;
}

/**
 * Masks the pieces as one text. Where that holds a secret, the first piece that is kept has all of the text that is kept, masked, and the
 * others have none.
 *
 * @returns whether that changed the pieces
 */
export function maskAsOne(pieces: readonly Piece[], mask: MaskText, { from, to }: Kept): boolean {
  let text = '';
  let before = 0;
  let after = 0;
  for (const piece of pieces) {
    text += piece.text;
    if (piece.item < from) before += piece.text.length;
    else if (piece.item >= to) after += piece.text.length;
  }
  const end = text.length - after;
  const masked = mask(text, { from: before, to: end });
  if (masked === text) return false;
  // The secret may be in the context alone.
  const shown = text.slice(before, end);
  if (before === 0 ? masked.startsWith(shown) : masked.endsWith(shown)) return false;
  const [first, ...others] = pieces.filter(({ item }) => item >= from && item < to);
  if (first !== undefined) first.text = masked.slice(before, Math.max(before, masked.length - after));
  for (const piece of others) piece.text = '';
  return true;
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

interface Gathering {
  /** The number of the item. */
  readonly item: number;
  readonly bytes: ReadonlySet<string>;
  readonly texts: Map<string, Piece[]>;
  readonly becomesReadable: () => void;
}

function gather(gathering: Gathering, value: JsonValue, pointer: string, put: Piece['put']): void {
  if (typeof value === 'string') {
    const { item, bytes, texts, becomesReadable } = gathering;
    const piece = bytes.has(pointer)
      ? bytesPiece(item, value, put, becomesReadable)
      : { item, text: value, put };
    const pieces = texts.get(pointer);
    if (pieces === undefined) texts.set(pointer, [piece]);
    else pieces.push(piece);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      gather(gathering, item, pointerTo(pointer, index), (text) => (value[index] = text));
  } else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value))
      gather(gathering, item, pointerTo(pointer, key), (text) => (value[key] = text));
  }
}

/** Each byte is one character, until it is put back: then the bytes are the text that they say. */
function bytesPiece(item: number, base64: string, put: Piece['put'], becomesReadable: () => void): Piece {
  return {
    item,
    text: Buffer.from(base64, 'base64').toString('latin1'),
    put: (text) => {
      becomesReadable();
      put(Buffer.from(text, 'latin1').toString());
    },
  };
}
