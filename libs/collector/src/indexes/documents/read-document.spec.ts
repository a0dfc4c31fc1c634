import type { DocumentUpload } from '@dacapo/protocol';
import { readDocument } from './read-document.js';

const upload = (overrides: Partial<DocumentUpload>): DocumentUpload => ({
  source: 'a.md',
  content: '# Title\n\ntext',
  content_type: 'text/markdown',
  ...overrides,
});
const titles = (overrides: Partial<DocumentUpload>): string[] =>
  readDocument(upload(overrides)).sections.map(({ title }) => title);

describe('readDocument', () => {
  it('takes the title that is given, else its own, else the first heading, else the source', () => {
    const html = '<title>Page</title><h1>Heading</h1>';
    expect(readDocument(upload({ title: 'Given' })).title).toBe('Given');
    expect(readDocument(upload({ content: html, content_type: 'text/html' })).title).toBe('Page');
    expect(readDocument(upload({ content: '---\ntitle: Front\n---\n# H\nt' })).title).toBe('Front');
    expect(readDocument(upload({})).title).toBe('Title');
    expect(readDocument(upload({ content: 'text' })).title).toBe('a.md');
  });

  it('gives each section the path of its headings, its anchor and its line', () => {
    const { sections } = readDocument(upload({ content: '# T\n\na\n\n## U\n\nb' }));
    expect(sections).toEqual([
      { title: 'T', content: 'a', anchor: 't', line: 1 },
      { title: 'T › U', content: 'b', anchor: 'u', line: 5 },
    ]);
  });

  it('splits what is long', () => {
    const { sections } = readDocument(upload({ content: 'x '.repeat(5000), content_type: 'text/plain' }));
    expect(sections.length).toBeGreaterThan(1);
    expect(Math.max(...sections.map(({ content }) => content.length))).toBeLessThanOrEqual(2400);
  });

  it('splits plain text at underlined headings, and llms.txt as Markdown', () => {
    const content = 'intro\n\nInstall\n=======\n# not a heading\n';
    expect(titles({ source: 'a.txt', content, content_type: 'text/plain' })).toEqual([
      'a.txt',
      'a.txt › Install',
    ]);
    expect(
      titles({ source: 'docs/llms.txt', content: '# P\np\n## Docs\nd', content_type: 'text/plain' }),
    ).toEqual(['P', 'P › Docs']);
  });

  it('hashes type, title and content', () => {
    const hashes = [
      upload({}),
      upload({ title: 't' }),
      upload({ content: 'x' }),
      upload({ content_type: 'text/plain' }),
    ].map((one) => Buffer.from(readDocument(one).hash).toString('hex'));
    expect(new Set(hashes).size).toBe(4);
    expect(Buffer.from(readDocument(upload({ source: 'b.md' })).hash).toString('hex')).toBe(hashes[0]);
  });

  it('refuses what has no text, or more sections than anybody writes', () => {
    expect(() => readDocument(upload({ content: ' \n' }))).toThrow('no text in it');
    expect(() => readDocument(upload({ content: '# h\nt\n'.repeat(20_001) }))).toThrow(
      'more than 20000 sections',
    );
  });

  it('repeats no more of a long heading than a name has', () => {
    const content = `# ${'long '.repeat(100_000)}\n${'## part\ntext\n'.repeat(1000)}`;
    const { sections } = readDocument(upload({ content }));
    expect(Math.max(...sections.map(({ title }) => title.length))).toBeLessThan(600);
  });
});
