import { decodeCursor, encodeCursor, takePage } from './cursor.js';
import { InvalidCursorError } from './errors.js';

describe('cursors', () => {
  it('are decoded to the encoded key', () => {
    const key = ['9999-12-31T23:59:59.123456Z', 'é"\\', 7] as const;
    expect(decodeCursor(encodeCursor(key), 'time', 'text', 'number')).toEqual(key);
  });

  it.each([
    ['not base64url', '***'],
    ['not JSON', Buffer.from('{').toString('base64url')],
    ['not an array', Buffer.from('{"length":2}').toString('base64url')],
    ['of the wrong length', encodeCursor([1])],
    ['of the wrong types', encodeCursor(['1', 'x'])],
    ['with a fraction', encodeCursor([1.5, 'x'])],
    ['empty', ''],
  ])('are refused when %s', (_, cursor) => {
    expect(() => decodeCursor(cursor, 'number', 'text')).toThrow(InvalidCursorError);
  });

  it.each(['yesterday', '2026-02-31', ''])('are refused when their time is %j', (time) => {
    expect(() => decodeCursor(encodeCursor([time, 'x']), 'time', 'text')).toThrow(InvalidCursorError);
  });
});

describe('takePage', () => {
  const MIB = 1024 * 1024;
  const take = (sizes: number[], limit = 9) =>
    takePage(
      sizes,
      limit,
      (size) => [size],
      (size) => size * MIB,
    );

  it('returns the first rows that fit together, and the cursor of the next page', () => {
    expect(take([6, 5, 4, 3])).toEqual({ kept: [6, 5, 4], next_cursor: encodeCursor([4]) });
    expect(take([3, 2, 1], 2)).toEqual({ kept: [3, 2], next_cursor: encodeCursor([2]) });
    expect(take([3, 2], 2)).toEqual({ kept: [3, 2] });
    expect(take([])).toEqual({ kept: [] });
  });

  it('returns one row that is too large for a page, so that a list always continues', () => {
    expect(take([20, 1])).toEqual({ kept: [20], next_cursor: encodeCursor([20]) });
  });
});
