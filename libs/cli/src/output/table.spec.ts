import { counted, table } from './table.js';

it('aligns columns and leaves no blanks at the end of a line', () => {
  expect(
    table([
      ['ID', 'NAME'],
      ['scrape_1', 'a'],
    ]),
  ).toBe('ID        NAME\nscrape_1  a\n');
});

it('counts one thing and many', () => {
  expect([counted(1, 'file'), counted(2, 'file'), counted(0, 'file')]).toEqual([
    '1 file',
    '2 files',
    '0 files',
  ]);
});
