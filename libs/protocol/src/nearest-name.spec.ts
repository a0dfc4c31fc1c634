import { nearestName } from './nearest-name.js';

describe('nearestName', () => {
  it.each([
    ['dezk', ['chat', 'desk', 'desks'], 'desk'],
    ['DESK', ['chat', 'desk'], 'desk'],
    ['anwser-question', ['answer-questions', 'answer-question'], 'answer-question'],
    ['desk', ['dusk', 'dask'], 'dusk'],
    ['a', ['abc'], 'abc'],
  ])('finds the name closest to %p in %p', (name, names, expected) => {
    expect(nearestName(name, names)).toBe(expected);
  });

  it.each([
    ['desk', ['chat']],
    ['desk', []],
    ['a', ['abcd']],
    ['summarize', ['translate']],
  ])('finds no name close to %p in %p', (name, names) => {
    expect(nearestName(name, names)).toBeUndefined();
  });

  it('compares only the beginning of very long names', () => {
    const long = 'x'.repeat(500);
    expect(nearestName(`y${long}`, [long])).toBe(long);
  });
});
