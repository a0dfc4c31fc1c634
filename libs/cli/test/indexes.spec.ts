import { mkdir, mkdtemp, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../src/run.js';
import { CapturedIo } from './captured-io.js';
import { type Account, openAccount } from './running-service.js';
import { removeFolder } from '../../../test/support/remove-folder.js';

describe('dacapo indexes', () => {
  let service: Account;
  let folder: string;

  beforeEach(async () => {
    service = await openAccount();
    folder = await mkdtemp(join(tmpdir(), 'dacapo-docs-'));
    await mkdir(join(folder, 'guide'));
    await writeFile(join(folder, 'guide/refunds.md'), '# Refunds\n\nA refund takes five working days.\n');
    await writeFile(
      join(folder, 'shipping.html'),
      '<title>Shipping</title><p>Parcels leave the same day.</p>',
    );
    await writeFile(join(folder, 'logo.png'), Buffer.from([0x89, 0x50]));
  });
  afterEach(async () => {
    await removeFolder(folder);
  });

  const add = (...more: string[]) =>
    service.json('indexes', 'add', folder, '--name', 'Help', '--type', 'api', ...more);

  it('adds a folder of Markdown, HTML and text, and reports skipped files', async () => {
    expect(await add()).toEqual({
      index_id: expect.stringMatching(/^scrape_\d+$/),
      name: 'Help',
      type: 'API',
      added: 2,
      unchanged: 0,
      removed: 0,
      skipped: [{ path: 'logo.png', reason: 'not a supported document type' }],
    });
  });

  it('adds only changed documents to the index with the same name and type', async () => {
    const first = await add();
    await writeFile(
      join(folder, 'shipping.html'),
      '<title>Shipping</title><p>Parcels leave the next day.</p>',
    );
    expect(await add()).toMatchObject({ index_id: first.index_id, added: 1, unchanged: 1 });
    expect((await service.json('indexes', 'list')).items).toHaveLength(1);
  });

  it('names an index after its folder, of type OTHER by default', async () => {
    const added = await service.json('indexes', 'add', join(folder, 'guide'));
    expect(added).toMatchObject({ name: 'guide', type: 'OTHER' });
  });

  it('sends a large folder in several requests', async () => {
    await Promise.all(
      Array.from({ length: 120 }, (_, page) =>
        writeFile(join(folder, `page-${page}.txt`), `Page number ${page}`),
      ),
    );
    expect(await add()).toMatchObject({ added: 122 });
  });

  it('skips empty files and files without text', async () => {
    await writeFile(join(folder, 'empty.md'), ' \n');
    await writeFile(join(folder, 'latin1.txt'), Buffer.from([0xe9, 0x74, 0xe9]));
    expect((await add()).skipped).toEqual([
      { path: 'logo.png', reason: 'not a supported document type' },
      { path: 'empty.md', reason: 'empty' },
      { path: 'latin1.txt', reason: 'not UTF-8 text' },
    ]);
  });

  it('reports a folder with nothing to index', async () => {
    await mkdir(join(folder, 'images'));
    const { exitCode, err } = await service.run('indexes', 'add', join(folder, 'images'));
    expect(exitCode).toBe(1);
    expect(err).toContain('[CLI_NO_DOCUMENTS]');
    expect((await service.json('indexes', 'list')).items).toEqual([]);
  });

  it('lists them as a table for people', async () => {
    expect((await service.run('indexes', 'list')).out).toContain('No indexes yet.');
    const { index_id } = await add();
    const { out } = await service.run('indexes', 'list');
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^INDEX ID +TYPE +DOCUMENTS +NAME$/),
      expect.stringMatching(new RegExp(`^${index_id as string} +API +2 +Help$`)),
      '',
    ]);
  });

  it('returns the passages that an application would get', async () => {
    const { index_id } = await add();
    const found = await service.json('indexes', 'search', index_id, 'refund', 'days');
    expect(found.results[0]).toMatchObject({ title: 'Refunds', source: 'guide/refunds.md' });
    expect((await service.run('indexes', 'search', index_id, 'refund')).out).toContain(
      'Refunds (guide/refunds.md:1)',
    );
  });

  it('shows code with its lines', async () => {
    await writeFile(join(folder, 'pay.md'), '# Payments\n\n```ts\nif (isPaid) {\n  refund();\n}\n```\n');
    const { index_id } = await add();
    expect((await service.run('indexes', 'search', index_id, 'payments')).out).toContain(
      '  if (isPaid) {\n    refund();\n  }\n',
    );
  });

  it('finds an index by its name, unless several have it', async () => {
    const { index_id } = await add();
    expect(await service.json('indexes', 'search', 'help', 'refund')).toMatchObject({ index_id });
    await add('--type', 'SDK');
    const { exitCode, err } = await service.run('indexes', 'remove', 'Help');
    expect(exitCode).toBe(2);
    expect(err).toMatch(/Several indexes have the name "Help": .+\(API\), .+\(SDK\).* Use the id of one\./);
  });

  it('removes an index, and reports an unknown one', async () => {
    const { index_id } = await add();
    expect(await service.json('indexes', 'remove', index_id)).toEqual({ removed: index_id });
    const { exitCode, err } = await service.run('indexes', 'remove', index_id);
    expect(exitCode).toBe(1);
    expect(err).toMatch(/The service answered 404: .+ List the existing ones with .+\[CLI_SERVICE_REFUSED\]/);
  });

  it('makes the index equal to the folder, unless deleted documents are to be kept', async () => {
    await add();
    await rename(join(folder, 'shipping.html'), join(folder, 'parcels.html'));
    expect(await add('--keep')).toMatchObject({ added: 1, unchanged: 1, removed: 0 });
    expect((await service.json('indexes', 'search', 'Help', 'parcels')).results[0].source).toBe(
      'parcels.html',
    );
    expect(await add()).toMatchObject({ added: 0, unchanged: 2, removed: 1 });
    expect((await service.json('indexes', 'list')).items[0].document_count).toBe(2);
  });

  it('adds API descriptions and declarations, and reports unreadable ones', async () => {
    const api = {
      openapi: '3.0.0',
      info: { title: 'Refunds' },
      paths: { '/refunds': { post: { summary: 'Give back' } } },
    };
    await writeFile(join(folder, 'api.json'), JSON.stringify(api));
    await writeFile(
      join(folder, 'types.d.ts'),
      '/** Pays back. */\nexport declare function giveRefund(): void;\n',
    );
    await writeFile(join(folder, 'broken.yaml'), 'openapi: 3.0.0\npaths: [\n');
    await writeFile(join(folder, 'package.json'), '{}');
    const { added, skipped } = await add();
    expect(added).toBe(4);
    expect(skipped).toEqual([
      { path: 'logo.png', reason: 'not a supported document type' },
      { path: 'package.json', reason: 'not an OpenAPI description' },
      { path: 'broken.yaml', reason: expect.stringContaining('not YAML') },
    ]);
    const found = await service.json('indexes', 'search', 'Help', 'give refund', '--max-tokens', '500');
    expect(found.results.map(({ source }: { source: string }) => source)).toEqual(
      expect.arrayContaining(['types.d.ts', 'api.json']),
    );
  });

  it('adds the help of a program and its subcommands', async () => {
    const added = await service.json('indexes', 'add-cli', process.execPath, '--name', 'node');
    expect(added).toMatchObject({ name: 'node', type: 'CLI', added: 1 });
    const { results } = await service.json('indexes', 'search', 'node', 'heap snapshot on signal');
    expect(results[0].content).toContain('--heapsnapshot-signal');
    const { err } = await service.run('indexes', 'add-cli', join(folder, 'no-such-program'));
    expect(err).toContain('[CLI_NO_HELP]');
  });

  it('adds the documents and types of an installed package, with its version', async () => {
    const home = join(folder, 'node_modules/@acme/sdk');
    await mkdir(join(home, 'dist'), { recursive: true });
    await mkdir(join(folder, 'src'));
    await writeFile(join(home, 'package.json'), '{"version":"2.3.4"}');
    await writeFile(join(home, 'README.md'), '# Acme\n\nRockets.');
    await writeFile(join(home, 'dist/index.d.ts'), 'export declare function launchRocket(): void;');
    const added = await service.json('indexes', 'add-package', '@acme/sdk', '--from', join(folder, 'src'));
    expect(added).toMatchObject({ name: '@acme/sdk@2.3.4', type: 'SDK', added: 2 });
    const { err } = await service.run('indexes', 'add-package', '@acme/none', '--from', folder);
    expect(err).toContain('[CLI_PACKAGE_NOT_FOUND]');
  });

  it('shows progress on a terminal, and nothing without one', async () => {
    await Promise.all(
      Array.from({ length: 60 }, (_, page) => writeFile(join(folder, `page-${page}.txt`), `Page ${page}`)),
    );
    const io = new CapturedIo({ TRACER_SERVICE_URL: service.url, TRACER_API_KEY: service.apiKey });
    Object.assign(io.stderr, { isTTY: true });
    expect(await run(['indexes', 'add', folder, '--name', 'Far'], io)).toBe(0);
    expect(io.err).toContain('25 of 62 documents');
    expect((await service.run('indexes', 'add', folder, '--name', 'Near')).err).toBe('');
  });

  it('reads a file of many megabytes', async () => {
    await writeFile(join(folder, 'large.md'), `# Large\n\n${'lorem ipsum dolor '.repeat(350_000)}`);
    expect(await add()).toMatchObject({ added: 3 });
  });

  it('finds code of one language', async () => {
    await writeFile(join(folder, 'guide/send.md'), '# Send\n\n```py\nsend()\n```\n');
    await writeFile(join(folder, 'guide/send-js.md'), '# Send here\n\n```js\nsend();\n```\n');
    await add();
    const { results } = await service.json('indexes', 'search', 'Help', 'send', '--language', 'TypeScript');
    expect(results.map(({ source }: { source: string }) => source)).toEqual(['guide/send-js.md']);
  });

  it('searches several indexes at once', async () => {
    await add();
    await writeFile(join(folder, 'guide/refunds.md'), '# Refunds\n\nA refund goes to the card.\n');
    await service.json('indexes', 'add', join(folder, 'guide'), '--name', 'Guide');
    const { results } = await service.json('indexes', 'search', 'Guide', 'refund', '--also', 'Help');
    expect(new Set(results.map(({ index_id }: { index_id: string }) => index_id)).size).toBe(2);
  });
});
