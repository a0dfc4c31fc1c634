import { parseTimestamp } from '@dacapo/protocol';
import { InvalidCursorError } from './errors.js';

export interface PageRequest {
  /** Items at most, from 1 up. */
  limit: number;
  /** The `next_cursor` of the page before. */
  cursor?: string;
}

const KINDS = {
  time: (part: unknown): part is string => typeof part === 'string' && parseTimestamp(part) !== undefined,
  text: (part: unknown): part is string => typeof part === 'string',
  amount: (part: unknown): part is number => typeof part === 'number' && Number.isFinite(part),
  number: (part: unknown): part is number => Number.isSafeInteger(part),
};

type Kind = keyof typeof KINDS;
type Key<K extends readonly Kind[]> = { [I in keyof K]: K[I] extends 'number' | 'amount' ? number : string };

/** Payload bytes of one page at most, unless its first item alone has more. */
export const PAGE_BYTES = 16 * 1024 * 1024;

/** A cursor is the sort key of the last item of a page, as JSON in base64url. */
export function encodeCursor(key: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/**
 * Reads a cursor back.
 *
 * @param kinds what the parts of this list's key are
 * @throws InvalidCursorError when it was made by no list, or by another
 */
export function decodeCursor<const K extends readonly Kind[]>(cursor: string, ...kinds: K): Key<K> {
  let key: unknown;
  try {
    key = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw new InvalidCursorError();
  }
  const isKey =
    Array.isArray(key) &&
    key.length === kinds.length &&
    kinds.every((kind, index) => KINDS[kind]((key as unknown[])[index]));
  if (!isKey) throw new InvalidCursorError();
  return key as Key<K>;
}

/** Where a page begins: `{}` for the first one. @throws InvalidCursorError */
export function positionOf<const K extends readonly Kind[]>(
  { cursor }: Pick<PageRequest, 'cursor'>,
  ...kinds: K
): { after?: Key<K> } {
  return cursor === undefined ? {} : { after: decodeCursor(cursor, ...kinds) };
}

/**
 * The first rows that fit one page: one at least, `limit` at most, and as many as have {@link PAGE_BYTES} together.
 * `next_cursor` says where the next page begins, when there are more rows than these.
 */
export function takePage<R>(
  rows: readonly R[],
  limit: number,
  keyOf: (row: R) => readonly (string | number)[],
  bytesOf: (row: R) => number = () => 0,
): { kept: R[]; next_cursor?: string } {
  const kept: R[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += bytesOf(row);
    if (kept.length === limit || (kept.length > 0 && bytes > PAGE_BYTES)) break;
    kept.push(row);
  }
  const last = kept.at(-1);
  return {
    kept,
    ...(last !== undefined && rows.length > kept.length && { next_cursor: encodeCursor(keyOf(last)) }),
  };
}
