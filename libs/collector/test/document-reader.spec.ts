import type { DocumentUpload } from '@dacapo/protocol';
import { DocumentReader } from '../src/indexes/documents/document-reader.js';

const markdown = (source: string, content: string): DocumentUpload => ({
  source,
  content,
  content_type: 'text/markdown',
});

describe('DocumentReader', () => {
  let reader: DocumentReader;
  afterEach(() => reader.onApplicationShutdown());

  it('reads documents, and explains why one cannot be read', async () => {
    reader = new DocumentReader();
    const [good, bad] = await Promise.all([
      reader.read('acc', markdown('a.md', '# A\n\ntext')),
      reader.read('acc', { source: 'b.json', content: '[]', content_type: 'application/json' }),
    ]);
    expect(good).toMatchObject({ document: { source: 'a.md', title: 'A' } });
    expect(bad).toEqual({ reason: 'not an OpenAPI 3 description' });
  });

  it('stops a document that takes too long, and reads the others', async () => {
    reader = new DocumentReader({ timeoutMs: 1 });
    const slow = reader.read('acc', markdown('slow.md', '# h\n\ntext\n'.repeat(300_000)));
    expect(await slow).toEqual({ reason: 'it took longer than 0.001 s' });
    await reader.onApplicationShutdown();
    reader = new DocumentReader();
    expect(await reader.read('acc', markdown('a.md', 'text'))).toMatchObject({
      document: { source: 'a.md' },
    });
  });

  it('stops a document that takes too much memory, and reads the others', async () => {
    reader = new DocumentReader({ memoryMb: 24 });
    const [large, small] = await Promise.all([
      reader.read('acc', markdown('large.md', '# h\n\ntext\n'.repeat(400_000))),
      reader.read('acc', markdown('a.md', 'text')),
    ]);
    expect(large).toEqual({ reason: 'it took too much memory' });
    expect(small).toMatchObject({ document: { source: 'a.md' } });
  });
});
