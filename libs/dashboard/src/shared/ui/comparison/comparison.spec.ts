import { type DiffRow, diffRows } from './diff-rows.js';
import { diffWords } from './diff-words.js';
import { foldRows } from './fold-rows.js';

const sides = (rows: DiffRow[]) => rows.map((row) => [row.left?.text, row.right?.text, row.isChanged]);
const lines = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => `line ${from + i}`).join('\n');

describe('diffRows', () => {
  it('pairs a changed line with its new version', () => {
    expect(sides(diffRows('a\nb\nc', 'a\nB\nc'))).toEqual([
      ['a', 'a', false],
      ['b', 'B', true],
      ['c', 'c', false],
    ]);
  });

  it('leaves a side empty where lines were added or removed', () => {
    expect(sides(diffRows('a\nb', 'a\nx\ny\nb'))).toEqual([
      ['a', 'a', false],
      [undefined, 'x', true],
      [undefined, 'y', true],
      ['b', 'b', false],
    ]);
    expect(sides(diffRows('a\nb\nc', 'c'))).toEqual([
      ['a', undefined, true],
      ['b', undefined, true],
      ['c', 'c', false],
    ]);
  });

  it('numbers the lines of each side', () => {
    const last = diffRows('a\nz', 'a\nx\ny\nz').at(-1);
    expect([last?.left?.number, last?.right?.number]).toEqual([2, 4]);
  });

  it('marks nothing between equal texts', () => {
    expect(diffRows(lines(20), lines(20)).some((row) => row.isChanged)).toBe(false);
  });

  it('marks all lines as changed when the texts are too different', () => {
    const rows = diffRows(lines(5_000), lines(5_000, 10_000));
    expect(rows).toHaveLength(5_000);
    expect(rows.every((row) => row.isChanged && row.left && row.right)).toBe(true);
  });
});

describe('foldRows', () => {
  it('keeps three equal lines around a change and folds the rest', () => {
    const rows = foldRows(
      diffRows(`${lines(20)}\nold\n${lines(20, 50)}`, `${lines(20)}\nnew\n${lines(20, 50)}`),
    );
    expect(rows.map((row) => ('folded' in row ? row.folded.length : row.left?.text))).toEqual([
      17,
      'line 17',
      'line 18',
      'line 19',
      'old',
      'line 50',
      'line 51',
      'line 52',
      17,
    ]);
  });

  it('folds nothing in short or equal texts', () => {
    const short = diffRows('a\nb\nold', 'a\nb\nnew');
    expect(foldRows(short)).toEqual(short);
    expect(foldRows(diffRows(lines(40), lines(40)))).toHaveLength(40);
  });
});

describe('diffWords', () => {
  it('marks the changed words of each side', () => {
    const parts = diffWords('the quick fox', 'the slow fox');
    expect(parts?.left.filter((part) => part.isChanged).map((part) => part.text)).toEqual(['quick']);
    expect(parts?.right.filter((part) => part.isChanged).map((part) => part.text)).toEqual(['slow']);
    expect(parts?.right.map((part) => part.text).join('')).toBe('the slow fox');
  });

  it('separates an escaped line break from the next word', () => {
    const parts = diffWords('"One.\\nSecond line"', '"One.\\nOther line"');
    expect(parts?.left.filter((part) => part.isChanged).map((part) => part.text)).toEqual(['Second']);
    expect(parts?.right.filter((part) => part.isChanged).map((part) => part.text)).toEqual(['Other']);
  });

  it('returns `undefined` when no word is equal', () => {
    expect(diffWords('one two', 'three four')).toBeUndefined();
  });
});
