import { sameJson } from './same-json.js';

describe('sameJson', () => {
  it.each([
    ['the same scalar', 1, 1],
    ['objects whose keys stand in another order', { a: 1, b: [2] }, { b: [2], a: 1 }],
    ['two absent values', undefined, undefined],
  ])('holds %s equal', (_, left, right) => {
    expect(sameJson(left, right)).toBe(true);
  });

  it.each([
    ['null from absent', null, undefined],
    ['an array from an object', [], {}],
    ['items in another order', [1, 2], [2, 1]],
    ['a missing key from a null one', { a: null }, {}],
    ['an own key from an inherited one', { toString: 1 }, { a: 1 }],
  ])('tells %s', (_, left, right) => {
    expect(sameJson(left as never, right as never)).toBe(false);
  });
});
