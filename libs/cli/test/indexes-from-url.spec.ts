import { gzipSync } from 'node:zlib';
import { API, routePath } from '@dacapo/protocol/api';
import { run } from '../src/run.js';
import { CapturedIo } from './captured-io.js';
import { DocSite, type Page } from '../../indexes/test/doc-site.js';
import { type Account, openAccount } from './running-service.js';

describe('dacapo indexes add-url and refresh', () => {
  let service: Account;
  let site: DocSite;

  beforeEach(async () => {
    service = await openAccount();
    site = await DocSite.start();
    page('/refunds', 'Refunds', 'A refund takes five working days.', { etag: '"1"' });
    page('/shipping', 'Shipping', 'Parcels leave the same day.', { etag: '"1"' });
    site.sitemap('/refunds', '/shipping');
  });
  afterEach(async () => {
    await site.close();
  });

  const page = (path: string, title: string, text: string, headers: Record<string, string> = {}) =>
    site.pages.set(path, { headers, body: `<title>${title}</title><h1>${title}</h1><p>${text}</p>` });
  const words = ['--allow-private', '--delay', '0'];
  const add = (path: string, ...more: string[]) =>
    service.json('indexes', 'add-url', site.url(path), '--name', 'Help', ...words, ...more);
  const refresh = async (...more: string[]) =>
    (await service.json('indexes', 'refresh', 'help', ...words, ...more)).items[0];
  const sources = async (): Promise<string[]> => {
    const { items } = await service.json('indexes', 'list');
    const answer = await fetch(service.url + routePath(API.indexes.documents, items[0]), {
      headers: { 'api-key': service.apiKey },
    });
    const listed = (await answer.json()) as { items: { source: string }[] };
    return listed.items.map(({ source }) => source.replace(site.url(''), ''));
  };
  const counts = (added: number, changed: number, unchanged: number, removed: number) => ({
    added,
    changed,
    unchanged,
    removed,
  });

  it('indexes the pages of a sitemap, and links each passage to its page', async () => {
    expect(await add('/sitemap.xml', '--type', 'api')).toEqual({
      index_id: expect.stringMatching(/^scrape_/),
      name: 'Help',
      type: 'API',
      ...counts(2, 0, 0, 0),
      skipped: [],
      failed: [],
    });
    const { results } = await service.json('indexes', 'search', 'Help', 'refund days');
    expect(results[0]).toMatchObject({ title: 'Refunds', source: site.url('/refunds') });
    expect(results[0].content).toContain('five working days');
  });

  it('makes an index of one page, named after its address', async () => {
    const added = await service.json('indexes', 'add-url', site.url('/refunds'), ...words);
    expect(added).toMatchObject({ name: `${site.host}/refunds`, type: 'OTHER', ...counts(1, 0, 0, 0) });
    expect(await sources()).toEqual(['/refunds']);
  });

  it('follows the links of an llms.txt, to its own host and to those that are named', async () => {
    const text = [
      '# Acme',
      '> All of it.',
      '- [Refunds](/refunds): money back',
      '- [Wiki](wiki_(page).md), [Again](/refunds#days), [Mail](mailto:a@b), [Top](#acme)',
      `- [Other](http://localhost:${site.port}/shipping)`,
      '- [Elsewhere](https://elsewhere.example/a)',
      '- [Broken](https://[)',
    ].join('\n');
    site.pages.set('/llms.txt', { headers: { 'content-type': 'text/plain' }, body: text });
    site.pages.set('/wiki_(page).md', {
      headers: { 'content-type': 'text/markdown' },
      body: '# Wiki\n\nBrackets.',
    });
    const added = await add('/llms.txt', '--also', `localhost:${site.port}`);
    expect(added).toMatchObject(counts(4, 0, 0, 0));
    expect(added.skipped).toEqual([
      {
        url: 'https://elsewhere.example/a',
        reason: 'on elsewhere.example; --also elsewhere.example takes its pages',
      },
      { url: 'https://[', reason: 'not the address of a page' },
    ]);
    expect(await sources()).toEqual(
      ['/llms.txt', '/refunds', '/wiki_(page).md', `http://localhost:${site.port}/shipping`].sort(),
    );
  });

  it('reads an llms-full.txt as one document', async () => {
    const body = '# Acme\n\n## Refunds\n\nFive days. [More](/shipping)\n';
    site.pages.set('/llms-full.txt', { headers: { 'content-type': 'text/plain; charset=utf-8' }, body });
    expect(await add('/llms-full.txt')).toMatchObject(counts(1, 0, 0, 0));
    expect((await service.json('indexes', 'search', 'Help', 'refunds')).results[0].title).toBe(
      'Acme › Refunds',
    );
  });

  it('follows an index of sitemaps, packed ones too, that name each other', async () => {
    const list = (...paths: string[]) =>
      paths.map((path) => `<sitemap><loc>${site.url(path)}</loc></sitemap>`).join('');
    site.pages.set('/index.xml', {
      body: `<sitemapindex>${list('/sitemap.xml', '/more.xml.gz', '/index.xml')}</sitemapindex>`,
      headers: { 'content-type': 'text/xml' },
    });
    const packed = gzipSync(`<urlset><url><loc>${site.url('/faq')}</loc></url></urlset>`);
    site.pages.set('/more.xml.gz', { body: packed, headers: { 'content-type': 'application/gzip' } });
    page('/faq', 'FAQ', 'Asked often.');
    expect(await add('/index.xml')).toMatchObject(counts(3, 0, 0, 0));
  });

  it('reads API descriptions, and reports which pages it skips and why', async () => {
    const api = {
      openapi: '3.0.0',
      info: { title: 'Acme' },
      paths: { '/refunds': { post: { summary: 'Give back' } } },
    };
    site.pages.set('/openapi.json', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(api),
    });
    site.pages.set('/data.json', { headers: { 'content-type': 'application/json' }, body: '{}' });
    site.pages.set('/logo', { headers: { 'content-type': 'image/png' }, body: 'png' });
    site.pages.set('/draft', { headers: { 'x-robots-tag': 'noindex' }, body: '<p>Draft' });
    site.pages.set('/mirror', '<link rel=canonical href="/refunds"><p>A refund');
    site.pages.set('/robots.txt', 'User-agent: *\nDisallow: /private');
    page('/private/a', 'Private', 'No.');
    site.sitemap(
      '/openapi.json',
      '/data.json',
      '/logo',
      '/draft',
      '/mirror',
      '/private/a',
      '/none',
      '/refunds',
    );
    const { skipped, failed, ...rest } = await add('/sitemap.xml');
    expect(rest).toMatchObject(counts(2, 0, 0, 0));
    expect(failed).toEqual([]);
    const byPath = Object.fromEntries(
      skipped.map(({ url, reason }: { url: string; reason: string }) => [new URL(url).pathname, reason]),
    );
    expect(byPath).toEqual({
      '/data.json': expect.stringContaining('OpenAPI'),
      '/logo': 'image/png is not a supported document type',
      '/draft': 'it says noindex',
      '/mirror': `the same page as ${site.url('/refunds')}`,
      '/private/a': 'robots.txt disallows it',
      '/none': 'the server answered 404',
    });
    expect(site.takeRequested()).not.toContain('/private/a 200');
  });

  it('keeps one document of pages that lead to one address', async () => {
    site.pages.set('/old', { status: 301, headers: { location: '/refunds' } });
    site.pages.set('/older', { status: 301, headers: { location: '/refunds' } });
    site.sitemap('/old', '/older');
    const added = await add('/sitemap.xml', '--concurrency', '1');
    expect(added).toMatchObject(counts(1, 0, 0, 0));
    expect(added.skipped).toEqual([
      { url: site.url('/older'), reason: `the same page as ${site.url('/old')}` },
    ]);
    expect(await sources()).toEqual(['/refunds']);
    expect(await refresh('--concurrency', '1')).toMatchObject(counts(0, 0, 1, 0));
    expect(await sources()).toEqual(['/refunds']);
  });

  it('refreshes: fetches changed pages, removes deleted ones, and reports both', async () => {
    page('/faq', 'FAQ', 'Asked often.');
    page('/old', 'Old', 'Once.');
    site.sitemap('/refunds', '/shipping', '/faq', '/old');
    await add('/sitemap.xml');
    page('/shipping', 'Shipping', 'Parcels leave the next day.', { etag: '"2"' });
    page('/new', 'New', 'Just written.');
    site.pages.delete('/faq');
    site.sitemap('/refunds', '/shipping', '/faq', '/new');
    site.takeRequested();
    const refreshed = await refresh();
    expect(refreshed).toMatchObject({ ...counts(1, 1, 1, 2), failed: [] });
    expect(refreshed.skipped).toEqual([{ url: site.url('/faq'), reason: 'the server answered 404' }]);
    expect(site.takeRequested().sort()).toEqual([
      '/faq 404',
      '/new 200',
      '/refunds 304',
      '/shipping 200',
      '/sitemap.xml 200',
    ]);
    expect(await sources()).toEqual(['/new', '/refunds', '/shipping']);
    const { results } = await service.json('indexes', 'search', 'Help', 'parcels');
    expect(results[0].content).toContain('the next day');
    expect(await refresh('--full')).toMatchObject(counts(0, 0, 3, 0));
  });

  it('fetches a page again when its document is missing', async () => {
    const { index_id } = await add('/sitemap.xml');
    await fetch(service.url + routePath(API.indexes.deleteDocuments, { index_id }), {
      method: 'POST',
      headers: { 'api-key': service.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ sources: [site.url('/refunds')] }),
    });
    expect(await refresh()).toMatchObject(counts(1, 0, 1, 0));
  });

  it('leaves documents from other sources alone', async () => {
    const { index_id } = await add('/sitemap.xml');
    await fetch(service.url + routePath(API.indexes.documents, { index_id }), {
      method: 'POST',
      headers: { 'api-key': service.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({
        documents: [{ source: 'note.md', content: 'Mine.', content_type: 'text/markdown' }],
      }),
    });
    site.sitemap('/refunds');
    expect(await refresh()).toMatchObject(counts(0, 0, 1, 1));
    expect(await sources()).toEqual(['/refunds', 'note.md'].sort());
  });

  describe('when the site is not well', () => {
    const refreshed = async () => {
      const { exitCode, out, err } = await service.run('indexes', 'refresh', 'Help', ...words);
      return { exitCode, out, err };
    };
    const broken: Page = (request) => {
      request.socket.destroy();
    };
    beforeEach(async () => {
      await add('/sitemap.xml');
    });

    it.each([
      [
        'the sitemap is not answered',
        () => site.pages.set('/sitemap.xml', { status: 403 }),
        'CLI_ADDRESS_UNREADABLE',
      ],
      [
        'the sitemap ends early',
        () =>
          site.pages.set('/sitemap.xml', { headers: { 'content-type': 'text/xml' }, body: '<urlset><url>' }),
        'CLI_ADDRESS_UNREADABLE',
      ],
      [
        'a portal answers in its place',
        () => site.pages.set('/sitemap.xml', '<html>Sign in</html>'),
        'CLI_ADDRESS_UNREADABLE',
      ],
      [
        'the sitemap is empty',
        () => {
          site.sitemap();
        },
        'CLI_NO_PAGES',
      ],
      [
        'robots.txt forbids all',
        () => site.pages.set('/robots.txt', 'User-agent: *\nDisallow: /'),
        'CLI_ADDRESS_UNREADABLE',
      ],
      [
        'all pages are gone',
        () => site.pages.delete('/refunds') && site.pages.delete('/shipping'),
        'CLI_NO_PAGES',
      ],
    ])('keeps everything when %s', async (_, spoil, code) => {
      spoil();
      const { exitCode, err } = await refreshed();
      expect([exitCode, err]).toEqual([1, expect.stringContaining(code)]);
      expect(await sources()).toEqual(['/refunds', '/shipping']);
    });

    it('keeps pages that cannot be fetched, continues with the rest, and reports them', async () => {
      site.pages.set('/refunds', { status: 500 });
      page('/shipping', 'Shipping', 'Parcels leave next week.');
      const { exitCode, out, err } = await refreshed();
      expect(exitCode).toBe(1);
      expect(out).toContain('0 added, 1 changed, 0 unchanged, 0 removed');
      expect(out).toContain(`${site.url('/refunds')}: the server answered 500`);
      expect(err).toContain('1 page could not be fetched: the index keeps their previous versions');
      expect(err).toContain('[CLI_PAGES_MISSING]');
      expect(await sources()).toEqual(['/refunds', '/shipping']);
      page('/refunds', 'Refunds', 'Six days.');
      expect(await refresh()).toMatchObject(counts(0, 1, 1, 0));
    });

    it('removes nothing when a part of the listing was not seen', async () => {
      const list = (...paths: string[]) =>
        paths.map((path) => `<sitemap><loc>${site.url(path)}</loc></sitemap>`).join('');
      site.pages.set('/sitemap.xml', {
        headers: { 'content-type': 'text/xml' },
        body: `<sitemapindex>${list('/1.xml', '/2.xml')}</sitemapindex>`,
      });
      site.pages.set('/1.xml', {
        headers: { 'content-type': 'text/xml' },
        body: `<urlset><url><loc>${site.url('/refunds')}</loc></url></urlset>`,
      });
      site.pages.set('/2.xml', { status: 403 });
      const { exitCode, out } = await refreshed();
      expect(exitCode).toBe(1);
      expect(out).toContain('0 removed');
      expect(out).toContain(`${site.url('/2.xml')}: the server answered 403`);
      expect(await sources()).toEqual(['/refunds', '/shipping']);
    });

    it('keeps all when the connection breaks with the first page that changed', async () => {
      site.pages.set('/refunds', broken);
      site.pages.set('/shipping', broken);
      const { exitCode, out } = await refreshed();
      expect(exitCode).toBe(1);
      expect(out).toContain('ECONNRESET');
      expect(await sources()).toEqual(['/refunds', '/shipping']);
    });
  });

  it('rejects a page or another host in place of a listing', async () => {
    site.pages.set('/pages', site.pages.get('/sitemap.xml') ?? '');
    await add('/pages');
    site.pages.set('/pages', '<html>Sign in</html>');
    const kind = await service.run('indexes', 'refresh', 'Help', ...words);
    expect([kind.exitCode, kind.err]).toEqual([
      1,
      expect.stringContaining('it was a sitemap and is now a page'),
    ]);
    const elsewhere = `localhost:${site.port}`;
    site.pages.set('/pages', { status: 302, headers: { location: `http://${elsewhere}/sitemap.xml` } });
    const moved = await service.run('indexes', 'refresh', 'Help', ...words);
    expect([moved.exitCode, moved.err]).toEqual([1, expect.stringContaining(`redirects to ${elsewhere}`)]);
    expect(await sources()).toEqual(['/refunds', '/shipping']);
  });

  it('stays with the host that an address redirects to when it is added', async () => {
    const elsewhere = `localhost:${site.port}`;
    site.pages.set('/docs', { status: 301, headers: { location: `http://${elsewhere}/refunds` } });
    await add('/docs');
    expect(await sources()).toEqual([`http://${elsewhere}/refunds`]);
    expect(await refresh()).toMatchObject(counts(0, 0, 1, 0));
  });

  it('reads at most the maximum number of pages, and removes none beyond it', async () => {
    site.sitemap('/refunds', '/shipping');
    const { exitCode, out } = await service.run(
      'indexes',
      'add-url',
      site.url('/sitemap.xml'),
      '--name',
      'Help',
      '--max-pages',
      '1',
      ...words,
    );
    expect(exitCode).toBe(1);
    expect(out).toContain('more than 1 pages; --max-pages takes more');
    expect(await sources()).toEqual(['/refunds']);
  });

  it('reads only pages below a path on request, also when it refreshes', async () => {
    page('/v2/a', 'A', 'Two.');
    site.sitemap('/refunds', '/v2/a');
    await add('/sitemap.xml', '--under', '/v2/');
    expect(await sources()).toEqual(['/v2/a']);
    expect(await refresh()).toMatchObject({ ...counts(0, 0, 1, 0), skipped: [] });
  });

  it('keeps the fetched pages when it is stopped, and removes nothing', async () => {
    const io = new CapturedIo({ TRACER_SERVICE_URL: service.url, TRACER_API_KEY: service.apiKey });
    await add('/sitemap.xml');
    page('/a', 'A', 'First.');
    site.pages.set('/b', () => {
      io.stop();
    });
    page('/c', 'C', 'Never asked.');
    site.sitemap('/a', '/b', '/c');
    const exitCode = await run(['indexes', 'refresh', 'Help', ...words, '--concurrency', '1'], io);
    expect(exitCode).toBe(130);
    expect(io.err).toContain('[CLI_PAGES_MISSING]');
    expect(io.out).toContain('1 added, 0 changed, 0 unchanged, 0 removed');
    expect(await sources()).toEqual(['/a', '/refunds', '/shipping']);
    expect(site.takeRequested()).not.toContain('/c 200');
    page('/b', 'B', 'Second.');
    expect(await refresh()).toMatchObject(counts(2, 0, 1, 2));
  });

  it('fetches nothing from private networks unless each command allows it', async () => {
    const { exitCode, err } = await service.run('indexes', 'add-url', site.url('/refunds'));
    expect(exitCode).toBe(1);
    expect(err).toContain('127.0.0.1 is a private address; --allow-private allows it');
    await add('/refunds');
    const refreshed = await service.run('indexes', 'refresh', 'Help');
    expect([refreshed.exitCode, refreshed.err]).toEqual([1, expect.stringContaining('--allow-private')]);
    expect(await sources()).toEqual(['/refunds']);
  });

  it.each([
    ['docs.example.com/a', 'Write it like https://docs.example.com/a.'],
    ['https://', 'Write it like https://docs.example.com/llms.txt.'],
    ['file:///etc/passwd', 'Write it like'],
    ['https://ann:secret@docs.example.com/', 'Remove both'],
    [`https://docs.example.com/${'a'.repeat(3000)}`, 'at most 2048 characters'],
  ])('refuses %s with the cure', async (address, cure) => {
    const { exitCode, err } = await service.run('indexes', 'add-url', address);
    expect(exitCode).toBe(2);
    expect(err).toContain(cure);
    expect(err).toContain('[CLI_ADDRESS_INVALID]');
    expect(err).not.toContain('secret');
  });

  it('refreshes all indexes with an address, one after another, when none is named', async () => {
    expect((await service.run('indexes', 'refresh')).out).toContain('No index was created from an address');
    await add('/sitemap.xml');
    await service.json('indexes', 'add-url', site.url('/shipping'), '--name', 'One', ...words);
    site.pages.set('/sitemap.xml', { status: 404 });
    const { exitCode, out } = await service.run('indexes', 'refresh', ...words);
    expect(exitCode).toBe(1);
    expect(out).toMatch(/Help \(OTHER\): 0 added.*\n1 not fetched/);
    expect(out).toContain('One (OTHER): 0 added, 0 changed, 1 unchanged, 0 removed');
  });

  it('reports an index that was made from files', async () => {
    await fetch(service.url + API.indexes.list.path, {
      method: 'POST',
      headers: { 'api-key': service.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Files', type: 'SDK' }),
    });
    const { exitCode, err } = await service.run('indexes', 'refresh', 'files');
    expect([exitCode, err]).toEqual([2, expect.stringContaining('[CLI_NO_ADDRESS]')]);
  });

  it('makes no index when no page can become a document', async () => {
    site.sitemap('/none');
    const { exitCode, err } = await service.run('indexes', 'add-url', site.url('/sitemap.xml'), ...words);
    expect(exitCode).toBe(1);
    expect(err).toContain(`(${site.url('/none')}: the server answered 404)`);
    expect((await service.json('indexes', 'list')).items).toEqual([]);
  });

  it('shows the source of an index', async () => {
    await add('/sitemap.xml');
    expect((await service.run('indexes', 'list')).out).toContain(site.url('/sitemap.xml'));
  });
});
