import fc from 'fast-check';
import { closestTerms, editDistance, letterMask } from './closest-terms.js';

const closest = (word: string, terms: string[]): string[] =>
  closestTerms(word, terms, terms.map(letterMask), () => 1).map(({ term }) => terms[term] ?? '');

describe('closestTerms', () => {
  it('finds terms one edit away from a short word, and two from a long one', () => {
    expect(closest('fastfy', ['fastify', 'fast'])).toEqual(['fastify']);
    expect(closest('authentcaton', ['authentication'])).toEqual(['authentication']);
    expect(closest('rtr', ['retry'])).toEqual([]);
    expect(closest('retyr', ['retry'])).toEqual(['retry']);
    expect(closest('12345', ['12346'])).toEqual([]);
  });

  it('returns the closest first, then names that contain the word', () => {
    expect(closest('connecting', ['disconnectingall', 'connektinh', 'connektng', 'connecging'])).toEqual([
      'connecging',
      'connektinh',
      'connektng',
    ]);
    expect(closest('netconnect', ['disablenetconnect', 'unrelated'])).toEqual(['disablenetconnect']);
  });

  it('returns no term that no section has', () => {
    expect(closestTerms('retyr', ['retry'], [letterMask('retry')], () => 0)).toEqual([]);
  });
});

describe('editDistance', () => {
  const word = fc.stringMatching(/^[ab]{0,6}$/);

  it('is the smallest number of edits, including swaps of neighbours', () => {
    fc.assert(fc.property(word, word, (left, right) => editDistance(left, right, 9) === fewest(left, right)));
  });

  it('is the maximum plus one when there are more edits', () => {
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 3 }), (left, right, most) => {
        expect(editDistance(left, right, most)).toBe(Math.min(fewest(left, right), most + 1));
      }),
    );
  });
});

/** Recursive, by definition. */
function fewest(left: string, right: string): number {
  if (left === '' || right === '') return left.length + right.length;
  const [a, b] = [left.slice(1), right.slice(1)];
  const edits = [1 + fewest(a, right), 1 + fewest(left, b), (left[0] === right[0] ? 0 : 1) + fewest(a, b)];
  const isExchange = left.length > 1 && left[0] === right[1] && left[1] === right[0] && right.length > 1;
  return Math.min(...edits, ...(isExchange ? [1 + fewest(left.slice(2), right.slice(2))] : []));
}
