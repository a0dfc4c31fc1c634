import { decodeCursor, encodeCursor, takePage } from './cursor.js';
import { InvalidCursorError } from './errors.js';

describe('cursors', () => {
  it('come back as they were', () => {
    const key = ['9999-12-31T23:59:59.123456Z', 'é"\\', 7] as const;
    expect(decodeCursor(encodeCursor(key), 'time', 'text', 'number')).toEqual(key);
  });

  it.each([
    ['no base64url', '***'],
    ['no JSON', Buffer.from('{').toString('base64url')],
    ['no array', Buffer.from('{"length":2}').toString('base64url')],
    ['of another length', encodeCursor([1])],
    ['of other types', encodeCursor(['1', 'x'])],
    ['with a number that is not whole', encodeCursor([1.5, 'x'])],
    ['empty', ''],
  ])('are refused when they are %s', (_, cursor) => {
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

  it('takes the first rows that fit together, and says where the next page begins', () => {
    expect(take([6, 5, 4, 3])).toEqual({ kept: [6, 5, 4], next_cursor: encodeCursor([4]) });
    expect(take([3, 2, 1], 2)).toEqual({ kept: [3, 2], next_cursor: encodeCursor([2]) });
    expect(take([3, 2], 2)).toEqual({ kept: [3, 2] });
    expect(take([])).toEqual({ kept: [] });
  });

  it('takes one that is too great by itself, so that a list always goes on', () => {
    expect(take([20, 1])).toEqual({ kept: [20], next_cursor: encodeCursor([20]) });
  });
});
