import fc from 'fast-check';
import { csvRecords } from './csv.js';

const read = (text: string) => [...csvRecords(text)].map((one) => ('cells' in one ? one.cells : one.problem));

describe('csvRecords', () => {
  it.each<[string, string, unknown[]]>([
    [
      'plain cells',
      'a,b\nc,\n',
      [
        ['a', 'b'],
        ['c', ''],
      ],
    ],
    ['quotes, commas and line ends in a cell', '"a,""b""\r\nc",d', [['a,"b"\r\nc', 'd']]],
    ['line ends of every system', 'a\r\nb\nc\rd', [['a'], ['b'], ['c'], ['d']]],
    ['a mark at the beginning, and no line end at the end', '\uFEFFa,b', [['a', 'b']]],
    ['empty lines, which are none', 'a\n\n\nb\n', [['a'], ['b']]],
    ['an empty cell in quotes', '"",""', [['', '']]],
    ['a line that is one empty cell in quotes', 'a\n""\n', [['a'], ['']]],
    ['a cell of 40 MB', `a,"${'x""y '.repeat(8_000_000)}"`, [['a', 'x"y '.repeat(8_000_000)]]],
  ])('reads %s', (_, text, records) => {
    expect(read(text)).toEqual(records);
  });

  it('continues with the next line after a record that cannot be read', () => {
    expect([...csvRecords('h\n"a" b,c\nd\n')]).toEqual([
      { row: 1, cells: ['h'] },
      {
        row: 2,
        problem: 'has a quote in the middle of cell 1: put the whole cell in quotes, and double those inside',
      },
      { row: 3, cells: ['d'] },
    ]);
    expect(read('a\nb"c,d\ne')).toEqual([['a'], expect.stringContaining('quote in the middle'), ['e']]);
    expect(read('a\n"never closed\nb')).toEqual([['a'], 'has an unclosed quote', ['b']]);
  });

  it('reads every table that is written as CSV', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' ', 'é', ';') });
    const written = (records: string[][]): string =>
      records.map((cells) => cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(',')).join('\r\n');
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 5 }), (records) => {
        expect(read(written(records))).toEqual(records);
      }),
    );
  });

  it('terminates for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r') }), (text) => {
        expect(read(text).length).toBeLessThanOrEqual(text.length + 1);
      }),
    );
  });
});
