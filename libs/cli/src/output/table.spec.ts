import { counted, table } from './table.js';

it('aligns columns without trailing blanks', () => {
  expect(
    table([
      ['ID', 'NAME'],
      ['scrape_1', 'a'],
    ]),
  ).toBe('ID        NAME\nscrape_1  a\n');
});

it('uses the singular only for 1', () => {
  expect([counted(1, 'file'), counted(2, 'file'), counted(0, 'file')]).toEqual([
    '1 file',
    '2 files',
    '0 files',
  ]);
});
