import { InvalidCursorError } from '../errors.js';
import { decodeCursor, encodeCursor } from './pages.js';

describe('cursors', () => {
  it('come back as they were', () => {
    expect(decodeCursor(encodeCursor([1763708785123456, 'é"\\']), [0, ''])).toEqual([
      1763708785123456,
      'é"\\',
    ]);
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
    expect(() => decodeCursor(cursor, [0, ''])).toThrow(InvalidCursorError);
  });
});
