import { readMarkdown } from './read-markdown.js';

const outline = (text: string) =>
  readMarkdown(text).parts.map(({ headings, content }) => [headings.join(' > '), content]);

describe('readMarkdown', () => {
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

  it('reads underlined headings, and HTML headings on one or more lines', () => {
    expect(outline('Title\n=====\ntext\n\nPart\n---\nmore')).toEqual([
      ['Title', 'text'],
      ['Title > Part', 'more'],
    ]);
    expect(
      outline('<h1 align="center">\n  <img src="x">\n  Fastify\n</h1>\ntext\n<h2>Use</h2>\nmore'),
    ).toEqual([
      ['Fastify', 'text'],
      ['Fastify > Use', 'more'],
    ]);
  });

  it('does not read a rule or a table as an underlined heading', () => {
    expect(outline('# A\ntext\n\n---\n\nmore')).toEqual([['A', 'text\n\n---\n\nmore']]);
    expect(outline('# A\n| a |\n---\nmore')).toEqual([['A', '| a |\n---\nmore']]);
  });

  it('finds no heading inside a fence', () => {
    const fenced = '```sh\n# comment\n~~~\n```';
    const unclosed = '````\n# no\n```\n# no';
    expect(outline(['# A', fenced, '# B', unclosed].join('\n'))).toEqual([
      ['A', fenced],
      ['B', unclosed],
    ]);
  });

  it('removes the closing marks of a heading, and no others', () => {
    expect(outline('# A ##\na\n# C#\nc\n#\nx\n#nothing')).toEqual([
      ['A', 'a'],
      ['C#', 'c'],
      ['', 'x\n#nothing'],
    ]);
  });

  it('uses the title of the front matter, and puts its description before the text', () => {
    const read = readMarkdown(
      '---\ntitle: "Rate limits"\ndescription: How many calls.\ntags: [quota]\n---\ntext\n# A\na',
    );
    expect(read.title).toBe('Rate limits');
    expect(read.parts[0]).toEqual({ headings: [], content: 'How many calls.\nquota\n\ntext', line: 1 });
    expect(read.parts[1]).toMatchObject({ headings: ['A'], line: 7 });
  });

  it('skips front matter that is not YAML, and keeps a rule', () => {
    expect(outline('---\n: [\n---\n# A\na')).toEqual([['A', 'a']]);
    expect(outline('---\ntext')).toEqual([['', '---\ntext']]);
  });

  it('uses the first main heading as title, regardless of the text before it', () => {
    expect(readMarkdown('[badge](x)\n\n## Note\nn\n# The Title\nt').title).toBe('The Title');
    expect(readMarkdown('## Only\nt').title).toBe('Only');
    expect(readMarkdown('text').title).toBeUndefined();
  });

  it("has the visible text of headings, with GitHub's anchors or their own", () => {
    const { parts } = readMarkdown(
      '# Use `fetch(url)` [here](x)\na\n## Options\nb\n## Options\nc\n## Own {#mine}\nd\n## <a name="old"></a>Old\ne',
    );
    expect(parts.map(({ headings, anchor }) => [headings.at(-1), anchor])).toEqual([
      ['Use fetch(url) here', 'use-fetchurl-here'],
      ['Options', 'options'],
      ['Options', 'options-1'],
      ['Own', 'mine'],
      ['Old', 'old'],
    ]);
  });

  it('has no part for a heading that is only followed by deeper ones', () => {
    expect(outline('# A\n\n## B\n\n### C\nc\n## D\n')).toEqual([
      ['A > B > C', 'c'],
      ['A > D', 'D'],
    ]);
  });

  it('removes images in data URLs, comments and MDX statements', () => {
    const text =
      "import Tabs from '@theme/Tabs';\n# A\n<!-- hidden -->\n![p](data:image/png;base64,AAAA)\n```js\nimport a from 'a';\n```";
    expect(outline(text)).toEqual([['A', "![p]()\n```js\nimport a from 'a';\n```"]]);
  });

  it('has the line of each heading', () => {
    expect(readMarkdown('# A\r\na\r\n\r\n## B\rb').parts.map(({ line }) => line)).toEqual([1, 4]);
    expect(outline(' \n\n')).toEqual([]);
  });

  it('reads a long run of spaces in a heading in linear time', () => {
    const { parts } = readMarkdown(`# a${' '.repeat(500_000)}b ##`);
    expect(parts).toHaveLength(1);
  });
});
