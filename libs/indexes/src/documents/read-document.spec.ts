import type { DocumentUpload } from '@dacapo/protocol';
import type { IndexedDocument } from '../sections.js';
import { readDocument } from './read-document.js';

const upload = (overrides: Partial<DocumentUpload>): DocumentUpload => ({
  source: 'a.md',
  content: '# Title\n\ntext',
  content_type: 'text/markdown',
  ...overrides,
});
const read = (overrides: Partial<DocumentUpload>): Promise<IndexedDocument> =>
  readDocument(upload(overrides));
const titles = async (overrides: Partial<DocumentUpload>): Promise<string[]> =>
  (await read(overrides)).sections.map(({ title }) => title);

describe('readDocument', () => {
  it("uses the given title, else the document's own, else the first heading, else the source", async () => {
    const html = '<title>Page</title><h1>Heading</h1>';
    expect((await read({ title: 'Given' })).title).toBe('Given');
    expect((await read({ content: html, content_type: 'text/html' })).title).toBe('Page');
    expect((await read({ content: '---\ntitle: Front\n---\n# H\nt' })).title).toBe('Front');
    expect((await read({})).title).toBe('Title');
    expect((await read({ content: 'text' })).title).toBe('a.md');
  });

  it('uses the first heading as title, regardless of the text before it', async () => {
    expect(await titles({ content: '[![badge](x)](y)\n\n# Real\n\ntext\n\n## Part\n\nmore' })).toEqual([
      'Real',
      'Real',
      'Real › Part',
    ]);
  });

  it('stores the path of headings, the anchor and the line of each section', async () => {
    const { sections } = await read({ content: '# T\n\na\n\n## U\n\nb' });
    expect(sections).toEqual([
      { title: 'T', content: 'a', anchor: 't', line: 1 },
      { title: 'T › U', content: 'b', anchor: 'u', line: 5 },
    ]);
  });

  it('splits long text', async () => {
    const { sections } = await read({ content: 'x '.repeat(5000), content_type: 'text/plain' });
    expect(sections.length).toBeGreaterThan(1);
    expect(Math.max(...sections.map(({ content }) => content.length))).toBeLessThanOrEqual(2400);
  });

  it('splits plain text at underlined headings, and llms.txt as Markdown', async () => {
    const content = 'intro\n\nInstall\n=======\n# not a heading\n';
    expect(await titles({ source: 'a.txt', content, content_type: 'text/plain' })).toEqual([
      'a.txt',
      'a.txt › Install',
    ]);
    expect(
      await titles({ source: 'docs/llms.txt', content: '# P\np\n## Docs\nd', content_type: 'text/plain' }),
    ).toEqual(['P', 'P › Docs']);
  });

  it('hashes type, title and content', async () => {
    const hashes = [
      upload({}),
      upload({ title: 't' }),
      upload({ content: 'x' }),
      upload({ content_type: 'text/plain' }),
    ].map(async (one) => Buffer.from((await readDocument(one)).hash).toString('hex'));
    expect(new Set(await Promise.all(hashes)).size).toBe(4);
    expect(Buffer.from((await read({ source: 'b.md' })).hash).toString('hex')).toBe(await hashes[0]);
  });

  it('refuses a document without text, or with too many sections', async () => {
    await expect(read({ content: ' \n' })).rejects.toThrow('it has no text');
    await expect(read({ content: '# h\nt\n'.repeat(20_001) })).rejects.toThrow('more than 20000 sections');
  });

  it('cuts a long heading', async () => {
    const content = `# ${'long '.repeat(100_000)}\n${'## part\ntext\n'.repeat(1000)}`;
    const { sections } = await read({ content });
    expect(Math.max(...sections.map(({ title }) => title.length))).toBeLessThan(600);
  });
});
