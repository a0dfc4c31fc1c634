import { parseTimestamp } from '@dacapo/protocol';
import { InvalidCursorError } from './errors.js';

export interface PageRequest {
  /** At least 1. */
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

/** Maximum of payload bytes on a page. A larger item has a page to itself. */
export const PAGE_BYTES = 16 * 1024 * 1024;

/** A cursor is the sort key of the last item of a page, as JSON in base64url. */
export function encodeCursor(key: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/**
 * @param kinds the kinds of the parts of this list's key
 * @throws InvalidCursorError when this list did not make the cursor
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

/** Returns the position to continue after; `{}` for the first page. @throws InvalidCursorError */
export function readPosition<const K extends readonly Kind[]>(
  { cursor }: Pick<PageRequest, 'cursor'>,
  ...kinds: K
): { after?: Key<K> } {
  return cursor === undefined ? {} : { after: decodeCursor(cursor, ...kinds) };
}

/**
 * Takes the rows that fit on a page: at least one, at most `limit`, and no more than {@link PAGE_BYTES} together. `next_cursor` is
 * set when rows are left.
 */
export function takePage<R>(
  rows: readonly R[],
  limit: number,
  toKey: (row: R) => readonly (string | number)[],
  measureBytes: (row: R) => number = () => 0,
): { kept: R[]; next_cursor?: string } {
  const kept: R[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += measureBytes(row);
    if (kept.length === limit || (kept.length > 0 && bytes > PAGE_BYTES)) break;
    kept.push(row);
  }
  const last = kept.at(-1);
  return {
    kept,
    ...(last !== undefined && rows.length > kept.length && { next_cursor: encodeCursor(toKey(last)) }),
  };
}
