import { InvalidCursorError } from '../errors.js';

export interface PageRequest {
  /** Items at most, from 1 up. */
  limit: number;
  /** The `next_cursor` of the page before. */
  cursor?: string;
}

/** The sort key of the last item of a page. */
export type CursorKey = (string | number)[];

export function encodeCursor(key: CursorKey): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/**
 * Reads a cursor back.
 *
 * @param shape an example of the key: cursors must have the same number of parts, of the same types
 * @throws InvalidCursorError when it was made by no list, or by another
 */
export function decodeCursor<K extends CursorKey>(cursor: string, shape: K): K {
  let key: unknown;
  try {
    key = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw new InvalidCursorError();
  }
  const isKey =
    Array.isArray(key) &&
    key.length === shape.length &&
    key.every((part, index) => isLike(part, shape[index]));
  if (!isKey) throw new InvalidCursorError();
  return key as K;
}

function isLike(part: unknown, example: string | number | undefined): boolean {
  return typeof part === typeof example && (typeof part !== 'number' || Number.isInteger(part));
}
