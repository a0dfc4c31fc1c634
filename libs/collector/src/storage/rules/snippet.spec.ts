import type { SpanData } from '@dacapo/protocol';
import fc from 'fast-check';
import { findSnippet } from './snippet.js';
import { parseTextQuery } from './text-query.js';

const find = (data: SpanData, text: string, name = 'call') => {
  const snippet = findSnippet({ name, span_data: data }, parseTextQuery(text));
  return snippet && [snippet.field, snippet.text, snippet.marks.map(([a, b]) => snippet.text.slice(a, b))];
};

describe('a snippet', () => {
  it.each<[string, SpanData, string, unknown]>([
    ['a word', { output: 'It was late.' }, 'late', ['output', 'It was late.', ['late']]],
    ['each of several', { output: 'late, too late' }, 'late', ['output', 'late, too late', ['late', 'late']]],
    [
      'a phrase',
      { input: ['too late, too soon'] },
      '"too soon"',
      ['input', 'too late, too soon', ['too soon']],
    ],
    [
      'a prefix as its whole word',
      { output: 'two parcels' },
      'parc*',
      ['output', 'two parcels', ['parcels']],
    ],
    [
      'accents and capitals',
      { output: 'Écrivez à Łódź' },
      'ecrivez',
      ['output', 'Écrivez à Łódź', ['Écrivez']],
    ],
    ['Chinese', { output: '我想退款，谢谢' }, '退款', ['output', '我想退款，谢谢', ['退款']]],
    ['a number', { output: 4711 }, '4711', ['output', '4711', ['4711']]],
    ['the name', { output: 'x' }, 'call', ['name', 'call', ['call']]],
    ['no part of a word', { output: 'relate' }, 'late', undefined],
    ['no name of a member', { output: { late: 1 } }, 'late', undefined],
  ])('marks %s', (_, data, text, snippet) => {
    expect(find(data, text)).toEqual(snippet);
  });

  it('is of the error before the output, and of the text with most terms before both', () => {
    const error = { name: 'Error', message: 'the ledger is locked' };
    expect(find({ error, output: 'ledger' }, 'ledger')?.[0]).toBe('error');
    expect(find({ error, output: 'ledger of March' }, 'ledger march')?.[0]).toBe('output');
  });

  it('begins shortly before the first match, at a word, on one line', () => {
    const [, text, marks] =
      find({ output: `${'word\n'.repeat(50)}needle ${'more '.repeat(90)}` }, 'needle') ?? [];
    expect(text).toMatch(/^…(word )+needle (more )+mo?r?e?…$/);
    expect(marks).toEqual(['needle']);
  });

  it('looks behind a file in base64', () => {
    const image = `data:image/png;base64,${'iVBORw0KGgo9Zz'.repeat(3000)}`;
    expect(find({ input: [{ image, note: 'a needle' }] }, 'needle')).toEqual([
      'input',
      'a needle',
      ['needle'],
    ]);
  });

  it('marks what is searched, wherever it is and whatever is around it', () => {
    const noise = fc.string({ unit: 'grapheme', maxLength: 400 });
    fc.assert(
      fc.property(noise, noise, (before, after) => {
        const snippet = findSnippet(
          { name: '', span_data: { output: `${before} needle ${after}` } },
          parseTextQuery('needle'),
        );
        const marked = snippet?.marks.map(([start, end]) => snippet.text.slice(start, end).toLowerCase());
        expect(marked?.[0]).toBe('needle');
        expect(Buffer.from(snippet?.text ?? '').toString()).toBe(snippet?.text);
      }),
    );
  });
});
