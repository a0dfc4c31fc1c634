import { hasTitle, readRules } from './specification-table.js';

describe('Rules of the specification', () => {
  const markdown = [
    '## 4. Endpoints',
    '### 4.1 List indexes',
    '| Rule | What Dacapo does | Proved by |',
    '|---|:--|---|',
    '| rule 1 | Lists `a \\| b` | test/a.spec.ts › lists them<br>`libs/x/b.spec.ts` › Lists › `is "empty"` |',
    '| rule 2 | Nothing yet |  |',
    '',
    '| Field | Type |',
    '|---|---|',
    '| ok | boolean |',
  ].join('\n');

  it('come only from tables with a "Proved by" column', () => {
    expect(readRules(markdown).map(({ rule }) => rule)).toEqual(['4.1 rule 1', '4.1 rule 2']);
  });

  it('name files and titles in them, any number of times', () => {
    expect(readRules(markdown)[0]?.proofs).toEqual([
      { rule: '4.1 rule 1', path: 'test/a.spec.ts', titles: ['lists them'] },
      { rule: '4.1 rule 1', path: 'libs/x/b.spec.ts', titles: ['Lists', 'is "empty"'] },
    ]);
  });

  it('have no proof if the cell is empty', () => {
    expect(readRules(markdown)[1]?.proofs).toEqual([]);
  });
});

describe('A title', () => {
  it('must equal a complete test title', () => {
    expect(hasTitle("it('lists them', () => {})", 'lists them')).toBe(true);
    expect(hasTitle("it('lists them all', () => {})", 'lists them')).toBe(false);
  });

  it('is found with any quotes', () => {
    expect(hasTitle("it('a caller\\'s error')", "a caller's error")).toBe(true);
    expect(hasTitle('it("a caller\'s error")', "a caller's error")).toBe(true);
  });
});
