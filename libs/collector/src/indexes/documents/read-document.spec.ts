import type { DocumentUpload } from '@dacapo/protocol';
import { readDocument } from './read-document.js';

const upload = (overrides: Partial<DocumentUpload>): DocumentUpload => ({
  source: 'a.md',
  content: '# Title\n\ntext',
  content_type: 'text/markdown',
  ...overrides,
});

describe('readDocument', () => {
  it('takes the title that is given, else the page title, else the first heading, else the source', () => {
    const html = '<title>Page</title><h1>Heading</h1>';
    expect(readDocument(upload({ title: 'Given' })).title).toBe('Given');
    expect(readDocument(upload({ content: html, content_type: 'text/html' })).title).toBe('Page');
    expect(readDocument(upload({})).title).toBe('Title');
    expect(readDocument(upload({ content: 'text' })).title).toBe('a.md');
  });

  it('gives each section the path of its headings', () => {
    const { sections } = readDocument(upload({ content: '# T\n\na\n\n## U\n\nb' }));
    expect(sections).toEqual([
      { title: 'T', content: 'a' },
      { title: 'T › U', content: 'b' },
    ]);
  });

  it('splits what is long', () => {
    const { sections } = readDocument(upload({ content: 'x '.repeat(5000), content_type: 'text/plain' }));
    expect(sections.length).toBeGreaterThan(1);
    expect(Math.max(...sections.map(({ content }) => content.length))).toBeLessThanOrEqual(4000);
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

  it('takes a hostile page for text', () => {
    const content = `${'<div>'.repeat(20_000)}deep${'</div>'.repeat(20_000)}<h1><img src=x onerror=alert(1)>T</h1>`;
    const { sections } = readDocument(upload({ content, content_type: 'text/html' }));
    expect(JSON.stringify(sections)).not.toContain('onerror');
  });
});
