import { LIMITS } from '@dacapo/protocol';
import fc from 'fast-check';
import { searchedWords, splitWords } from './searched-words.js';
import { hasText, parseTextQuery, readTextQuery } from './text-query.js';

const read = (text: string) => readTextQuery(text);

describe('a query of a text', () => {
  it.each([
    ['Refund', [[['refund'], false]]],
    [
      'refund late',
      [
        [['refund'], false],
        [['late'], false],
      ],
    ],
    [
      '"too late" parc*',
      [
        [['too', 'late'], false],
        [['parc'], true],
      ],
    ],
    ['order-4711', [[['order', '4711'], false]]],
    ['"never closed', [[['never', 'closed'], false]]],
    [
      'a OR NOT (b) NEAR/2 col:x ^y',
      [['a', 'or', 'not', 'b'].map((word) => [[word], false])].flat().concat([
        [['near', '2'], false],
        [['col', 'x'], false],
        [['y'], false],
      ]),
    ],
    ['退款', [[['退', '款'], false]]],
    ['返金デスク', [[['返', '金', 'デ', 'ス', 'ク'], false]]],
    ['退*', [[['退'], false]]],
    [
      'Café ÉCOLE',
      [
        [['cafe'], false],
        [['ecole'], false],
      ],
    ],
    ['한국어', [[['한국어'], false]]],
    ['!!! ""', []],
  ] as [string, [string[], boolean][]][])('reads %j as words', (text, terms) => {
    expect(parseTextQuery(text)).toEqual(terms.map(([words, isPrefix]) => ({ words, isPrefix })));
  });

  it('is refused where it has no word, too many, or a short beginning', () => {
    expect(() => read('!!!')).toThrow('must have a letter or a digit');
    expect(() => read('a* b')).toThrow('must have 3 characters or more before a *');
    const many = Array.from({ length: LIMITS.textTerms + 1 }, (_, index) => `w${index}`).join(' ');
    expect(() => read(many)).toThrow(`at most ${LIMITS.textTerms} words`);
  });

  it('never fails otherwise, and finds the text that it was made of', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const span = { name: '', output: JSON.stringify({ text }) };
        // A phrase of all of it: quotation marks would end it.
        const query = parseTextQuery(`"${text.replaceAll('"', ' ')}"`);
        expect(hasText(span, query)).toBe(true);
      }),
    );
  });
});

describe('the words of a span', () => {
  it('are those of its name, of strings and of whole numbers, but not of names of members', () => {
    const input = JSON.stringify([
      { order: 4711, weight: 1.5, user: { name: 'Ann "A" Lee\nLine' } },
      true,
      -3,
    ]);
    const span = { name: 'Support.answer', input, output: '"ok"', error: null };
    expect(searchedWords(span, 1000).split(' \uE000 ')).toEqual([
      'support answer',
      '4711',
      'ann a lee line',
      '3',
      'ok',
    ]);
  });

  it('all begin with the prefix of their account', () => {
    const span = { name: '-', input: '["too late","!",7]', output: '"sorry"' };
    expect(searchedWords(span, 1000, 'x0')).toBe('x0too x0late \uE000 x07 \uE000 x0sorry');
  });

  it('are those of the first characters of each field', () => {
    const long = JSON.stringify(['x'.repeat(LIMITS.searchedCharacters - 10), 'beyond']);
    const span = { name: 'n', input: long, output: '["within"]' };
    expect(hasText(span, parseTextQuery('beyond'))).toBe(false);
    expect(hasText(span, parseTextQuery('within'))).toBe(true);
    const cut = JSON.stringify(['a '.repeat(LIMITS.searchedCharacters)]);
    expect(hasText({ name: 'n', input: cut }, parseTextQuery('"a a a"'))).toBe(true);
    for (let end = 1; end < 20; end++) {
      const escaped = `["${'y'.repeat(LIMITS.searchedCharacters - end)} word\\u0001\\n\\\\\\"end"]`;
      expect(() => searchedWords({ name: 'n', input: escaped }, LIMITS.searchedCharacters)).not.toThrow();
    }
  });

  it('are found as phrases within one text only', () => {
    const span = { name: 'n', input: '["too late","for you"]' };
    expect(hasText(span, parseTextQuery('"too late"'))).toBe(true);
    expect(hasText(span, parseTextQuery('"late for"'))).toBe(false);
    expect(hasText(span, parseTextQuery('late for'))).toBe(true);
    expect(hasText(span, parseTextQuery('"too lat"'))).toBe(false);
    expect(hasText(span, parseTextQuery('"too" late*'))).toBe(true);
  });

  it('are found anywhere in Chinese and Japanese texts', () => {
    const span = { name: 'n', output: JSON.stringify('我想退款，谢谢。返金をお願いします') };
    expect(hasText(span, parseTextQuery('退款'))).toBe(true);
    expect(hasText(span, parseTextQuery('お願い 返金'))).toBe(true);
    expect(hasText(span, parseTextQuery('款退'))).toBe(false);
  });

  it('are cut where they are long, in a span as in a query', () => {
    const long = 'ab'.repeat(100);
    expect(splitWords(long)).toEqual([long.slice(0, 64)]);
    expect(hasText({ name: long }, parseTextQuery(long))).toBe(true);
  });
});
