import { nearestName } from './nearest-name.js';

describe('nearestName', () => {
  it.each([
    ['dezk', ['chat', 'desk', 'desks'], 'desk'],
    ['DESK', ['chat', 'desk'], 'desk'],
    ['anwser-question', ['answer-questions', 'answer-question'], 'answer-question'],
    ['desk', ['dusk', 'dask'], 'dusk'],
    ['a', ['abc'], 'abc'],
  ])('finds what %p may have meant in %p', (name, names, meant) => {
    expect(nearestName(name, names)).toBe(meant);
  });

  it.each([
    ['desk', ['chat']],
    ['desk', []],
    ['a', ['abcd']],
    ['summarize', ['translate']],
  ])('finds nothing near %p in %p', (name, names) => {
    expect(nearestName(name, names)).toBeUndefined();
  });

  it('compares the beginnings of very long names', () => {
    const long = 'x'.repeat(500);
    expect(nearestName(`y${long}`, [long])).toBe(long);
  });
});
