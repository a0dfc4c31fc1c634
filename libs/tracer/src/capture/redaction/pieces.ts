import { isJsonObject, type JsonValue, pointerTo } from '@dacapo/protocol';

/** One item of a stream, masked on its own. */
export interface StreamItem {
  readonly json: JsonValue;
  /** Pointers of bytes, which are written as base64. */
  readonly bytes: ReadonlySet<string>;
}

/** The items of a stream after secrets that are split across items were masked. */
export interface MaskedItems {
  readonly items: readonly JsonValue[];
  /** Numbers of the items whose bytes were replaced by text. */
  readonly readable: ReadonlySet<number>;
}

/** A text at one pointer of an item. */
export interface Piece {
  /** The number of the item. */
  readonly item: number;
  text: string;
  /** Replaces the text. */
  readonly put: (text: string) => void;
}

/** The range of items or characters to keep. The others are context: they are masked together with these, and then dropped. */
export interface Kept {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** Masks the secrets of a text. Moved text never crosses the bounds of the kept range. */
type MaskText = (text: string, kept: Kept) => string;

/** A token at the end of a piece. Its secret may continue in the next piece, as the lines of a private key do. */
const ENDS_MASKED = /\[redacted(?::[0-9a-f]+)?\]$/;
const STARTS_MASKED = /^\[redacted(?::[0-9a-f]+)?\]/;
const FURTHER = /^[^\s"'<>,;(){}[\]\\]*(?:\s*\n[A-Za-z0-9+/=]{16,}(?=\s|$))*(?:\s*\n?-----END[A-Z ]*-----)?/;
const BEFORE = /[\w.+@/-]{0,256}$/;
/** Longer secrets are not detected across pieces. */
const LOOKED_AT = 16 * 1024;

/**
 * Masks secrets that are split across the items of a stream. The texts at one pointer of consecutive items are joined. If the joined
 * text contains a secret, the first item gets the whole masked text and the others get none, because the length of each piece would
 * reveal something about the secret. If a piece ends or starts with a masked secret, the adjacent word in the neighbouring piece is
 * masked too. Bytes are read as text.
 *
 * @param maskAlone masks a text that occurs in only one item and was already masked there
 * @param kept numbers of the items to keep; default: all
 * @returns all items; `undefined` if the kept ones contain no secret
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
 * Masks the pieces as one text. If it contains a secret, the first kept piece gets the whole kept text, masked, and the others get none.
 *
 * @returns whether the pieces changed
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
  // The secret may be only in the context.
  const shown = text.slice(before, end);
  if (before === 0 ? masked.startsWith(shown) : masked.endsWith(shown)) return false;
  const [first, ...others] = pieces.filter(({ item }) => item >= from && item < to);
  if (first !== undefined) first.text = masked.slice(before, Math.max(before, masked.length - after));
  for (const piece of others) piece.text = '';
  return true;
}

/** Removes the rests of masked secrets from adjacent pieces. @returns whether it found any */
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

/** Decodes bytes as Latin-1, one character per byte. If the piece is replaced, the item contains the text itself. */
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
