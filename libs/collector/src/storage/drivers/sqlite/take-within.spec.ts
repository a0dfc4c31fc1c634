import { takeWithin } from './take-within.js';

const take = (sizes: number[], most: number): number[] => takeWithin(sizes, (size) => size, most);

describe('takeWithin', () => {
  it('takes the first items that fit together', () => {
    expect(take([3, 3, 3, 3], 9)).toEqual([3, 3, 3]);
    expect(take([3, 3], 9)).toEqual([3, 3]);
    expect(take([], 9)).toEqual([]);
  });

  it('takes one that is too great by itself, so that a list always goes on', () => {
    expect(take([20, 1], 9)).toEqual([20]);
  });
});
