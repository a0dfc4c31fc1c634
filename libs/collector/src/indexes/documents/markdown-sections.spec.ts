import { markdownSections } from './markdown-sections.js';

const outline = (text: string) =>
  markdownSections(text).map(({ titles, content }) => [titles.join(' > '), content]);

describe('markdownSections', () => {
  it('splits at headings and keeps the headings above', () => {
    expect(outline('intro\n# A\na\n## B\nb\n### C\nc\n## D\nd\n# E\ne')).toEqual([
      ['', 'intro'],
      ['A', 'a'],
      ['A > B', 'b'],
      ['A > B > C', 'c'],
      ['A > D', 'd'],
      ['E', 'e'],
    ]);
  });

  it('takes underlined headings', () => {
    expect(outline('Title\n=====\ntext\n\nPart\n---\nmore')).toEqual([
      ['Title', 'text'],
      ['Title > Part', 'more'],
    ]);
  });

  it('keeps a rule and a table apart from underlined headings', () => {
    expect(outline('# A\ntext\n\n---\n\nmore')).toEqual([['A', 'text\n\n---\n\nmore']]);
  });

  it('sees no heading within a fence', () => {
    const fenced = '```sh\n# comment\n~~~\n```';
    const unclosed = '````\n# no\n```\n# no';
    expect(outline(['# A', fenced, '# B', unclosed].join('\n'))).toEqual([
      ['A', fenced],
      ['B', unclosed],
    ]);
  });

  it('strips the marks that close a heading, and no others', () => {
    expect(outline('# A ##\na\n# C#\nc\n#\nx\n#nothing')).toEqual([
      ['A', 'a'],
      ['C#', 'c'],
      ['', 'x\n#nothing'],
    ]);
  });

  it('leaves front matter out', () => {
    expect(outline('---\ntitle: x\n---\n# A\na')).toEqual([['A', 'a']]);
  });

  it('takes any line ending, and nothing for nothing', () => {
    expect(outline('# A\r\na\r# B\rb')).toEqual([
      ['A', 'a'],
      ['B', 'b'],
    ]);
    expect(outline(' \n\n')).toEqual([]);
  });

  it('reads a long line of blanks in a heading once', () => {
    const heading = `# a${' '.repeat(500_000)}b ##`;
    expect(markdownSections(heading)[0]?.title.endsWith('b')).toBe(true);
  });
});
