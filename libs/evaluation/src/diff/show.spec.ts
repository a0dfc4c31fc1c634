import { toNode } from '../values/live-node.js';
import { showNode } from './show.js';

describe('a value, as reports show it', () => {
  it.each<[string, unknown, number, string]>([
    ['keeps the lines of a text', 'one\ntwo "2"\n', 50, '"one\ntwo \\"2\\"\n"'],
    ['shows a text that fits', 'abc', 5, '"abc"'],
    ['cuts a text to the length', 'abcd', 5, '"abc…'],
    ['reads no more of a text than it shows', `${'a'.repeat(9)}\n`, 9, `"${'a'.repeat(7)}…`],
    ['shows other values as code', { at: [1, null] }, 50, '{at: [1, null]}'],
    ['cuts other values to the length', { at: [1, null], by: 2 }, 10, '{at: […],…'],
  ])('%s', (_, value, longest, shown) => {
    expect(showNode(toNode(value), longest)).toBe(shown);
  });
});
