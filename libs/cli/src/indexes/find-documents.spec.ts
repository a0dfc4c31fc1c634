import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findDocuments } from './find-documents.js';

describe('Finding documents', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dacapo-documents-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function write(...paths: string[]): Promise<void> {
    for (const path of paths) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), 'text');
    }
  }

  it('finds documents in all folders, in a stable order', async () => {
    await write(
      'b.TXT',
      'a/deep/page.html',
      'a/guide.mdx',
      'c.md',
      'd.htm',
      'e.d.ts',
      'f.yml',
      'g.json',
      'h.adoc',
      'i.rst',
    );
    const { files, skipped } = await findDocuments(folder);
    expect(files.map(({ source, contentType }) => [source, contentType])).toEqual([
      ['a/deep/page.html', 'text/html'],
      ['a/guide.mdx', 'text/markdown'],
      ['b.TXT', 'text/plain'],
      ['c.md', 'text/markdown'],
      ['d.htm', 'text/html'],
      ['e.d.ts', 'text/typescript'],
      ['f.yml', 'application/yaml'],
      ['g.json', 'application/json'],
      ['h.adoc', 'text/asciidoc'],
      ['i.rst', 'text/x-rst'],
    ]);
    expect(skipped).toEqual([]);
  });

  it('skips node_modules, dot folders and dot files', async () => {
    await write('node_modules/x/README.md', '.git/a.md', '.hidden.md', 'kept.md');
    expect((await findDocuments(folder)).files.map(({ source }) => source)).toEqual(['kept.md']);
  });

  it('reports skipped files, and does not follow symbolic links', async () => {
    await write('image.png');
    await symlink(folder, join(folder, 'loop'));
    expect((await findDocuments(folder)).skipped).toEqual([
      { path: 'image.png', reason: 'not a supported document type' },
      { path: 'loop', reason: 'not a regular file' },
    ]);
  });

  it('accepts a single file', async () => {
    await write('a/page.html');
    const { files } = await findDocuments(join(folder, 'a/page.html'));
    expect(files.map(({ source }) => source)).toEqual(['page.html']);
  });

  it('reports which path cannot be read, and why', async () => {
    await expect(findDocuments(join(folder, 'absent'))).rejects.toMatchObject({
      code: 'CLI_PATH_UNREADABLE',
      message: expect.stringContaining('absent cannot be read (ENOENT)'),
    });
  });
});
