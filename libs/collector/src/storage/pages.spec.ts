import { InvalidCursorError } from '../errors.js';
import { decodeCursor, encodeCursor } from './pages.js';

describe('cursors', () => {
  it('come back as they were', () => {
    expect(decodeCursor(encodeCursor([1763708785123456, 'é"\\']), [0, ''])).toEqual([
      1763708785123456,
      'é"\\',
    ]);
  });

  it('tell times that are whole microseconds, however late', () => {
    const year9999Us = 253402300799000000;
    expect(decodeCursor(encodeCursor([year9999Us, 'x']), [0, ''])).toEqual([year9999Us, 'x']);
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
