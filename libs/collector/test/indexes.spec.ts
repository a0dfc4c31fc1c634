import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { API, routePath } from '@dacapo/protocol/api';
import { runService, type Service, type Tenant } from './support/service.js';

let service: Service;
let tenant: Tenant;

runService((opened, account) => {
  service = opened;
  tenant = account;
});

const createIndex = async (): Promise<string> =>
  (await tenant.post(API.indexes.create.path, { name: 'Docs', type: 'SDK' }).expect(201)).body.index_id;
const add = async (index_id: string, documents: object[]) =>
  (await tenant.post(routePath(API.indexes.addDocuments, { index_id }), { documents }).expect(200)).body;
const ask = async (index_id: string, query: string, limit?: number) =>
  (await tenant.post(API.developer.getContext.path, { index_id, query, limit }).expect(200)).body.data
    .results;

const answer = async (body: object) =>
  (await tenant.post(API.developer.getContext.path, body).expect(200)).body.data.results;

const guide = {
  source: 'docs/guide.md',
  content: '# Guide\n\nWelcome.\n\n## Install\n\nRun `npm install`.\n\n## Configure\n\nSet the timeout.',
  content_type: 'text/markdown',
};

describe('an index', () => {
  it('is created, listed with its documents counted, and deleted', async () => {
    const other = await service.addTenant();
    const { body: created } = await other
      .post(API.indexes.create.path, { name: 'Git', type: 'CLI' })
      .expect(201);
    expect(created).toEqual({
      name: 'Git',
      index_id: expect.stringMatching(/^scrape_\d{16}$/),
      type: 'CLI',
      document_count: 0,
      created_at: expect.any(String),
    });
    expect((await other.get(API.indexes.list.path).expect(200)).body).toEqual({ items: [created] });
    const path = routePath(API.indexes.delete, { index_id: created.index_id });
    await other.delete(path).expect(204);
    const { body } = await other.delete(path).expect(404);
    expect(body).toEqual({ detail: `Index ${created.index_id} not found`, status_code: 404 });
  });

  it('SPEC 2.4: has one of four types', async () => {
    const { body } = await tenant.post(API.indexes.create.path, { name: 'x', type: 'BOOK' }).expect(400);
    expect(body).toEqual({
      detail: 'type must be one of SDK, CLI, API, OTHER, not "BOOK"',
      status_code: 400,
    });
  });
});

describe('the source address of an index', () => {
  const remote = {
    url: 'https://docs.example/llms.txt',
    kind: 'llms.txt',
    also: [],
    max_pages: 5,
    refreshed_at: '2026-01-01T00:00:00.000000Z',
    pages: [{ url: 'https://docs.example/a', source: 'https://docs.example/a', last_modified: 'yesterday' }],
  };

  it('is stored with the facts of its pages', async () => {
    const path = routePath(API.indexes.remote, { index_id: await createIndex() });
    expect((await tenant.get(path).expect(404)).body.detail).toMatch(/was not created from an address$/);
    const { body: index } = await tenant.post(path, remote).expect(200);
    expect(index.remote).toEqual({ url: remote.url, refreshed_at: remote.refreshed_at });
    expect((await tenant.get(path).expect(200)).body).toEqual(remote);
  });

  it.each([
    [{ url: 'docs.example' }, 'url must be an http or https address'],
    [{ kind: 'feed' }, 'kind must be one of page, sitemap, llms.txt, not "feed"'],
    [{ also: [1] }, 'also[0] must be a string, not 1'],
    [{ max_pages: 0 }, 'max_pages must be a whole number from 1 to 20000, not 0'],
    [
      { pages: [{ url: 'file:///etc/passwd', source: 'x' }] },
      'pages[0].url must be an http or https address',
    ],
  ])('is refused with %j', async (wrong, detail) => {
    const path = routePath(API.indexes.remote, { index_id: await createIndex() });
    expect((await tenant.post(path, { ...remote, ...wrong }).expect(400)).body.detail).toBe(detail);
  });
});

describe('documents', () => {
  it('become sections by heading, found by their words', async () => {
    const id = await createIndex();
    expect(await add(id, [guide])).toEqual({ added: 1, unchanged: 0, skipped: [] });
    expect(await ask(id, 'how do I install it?')).toEqual([
      {
        title: 'Guide › Install',
        heading_path: ['Guide', 'Install'],
        index_id: id,
        source: 'docs/guide.md',
        anchor: 'install',
        line: 5,
        content: 'Run `npm install`.',
        score: expect.any(Number),
      },
    ]);
  });

  it('are recognized when unchanged, and replaced when changed', async () => {
    const id = await createIndex();
    await add(id, [guide]);
    expect(await add(id, [guide, { ...guide, source: 'copy.md' }])).toEqual({
      added: 1,
      unchanged: 1,
      skipped: [],
    });
    await add(id, [{ ...guide, content: '# Guide\n\nAll new: pineapples.' }]);
    expect((await ask(id, 'pineapple')).map(({ source }: { source: string }) => source)).toEqual([
      guide.source,
    ]);
    expect((await ask(id, 'timeout')).map(({ source }: { source: string }) => source)).toEqual(['copy.md']);
  });

  it('in HTML lose their markup and furniture, and keep headings and code', async () => {
    const id = await createIndex();
    const content = `<html><head><title>API</title><script>alert('secretword')</script></head><body><nav>menuword</nav>
      <main><h1>API</h1><p>Intro.</p><h2>Create &amp; update</h2><p>Call <a href="/x">it</a>:</p>
      <pre># comment\ncurl -X POST</pre></main></body></html>`;
    await add(id, [{ source: 'api.html', content, content_type: 'text/html' }]);
    const [section] = await ask(id, 'curl');
    expect(section).toMatchObject({ title: 'API › Create & update' });
    expect(section.content).toContain('Call it:');
    expect(section.content).toContain('# comment\ncurl -X POST');
    expect(await ask(id, 'secretword menuword')).toEqual([]);
  });

  it('in plain text are one section', async () => {
    const id = await createIndex();
    await add(id, [
      { source: 'a.txt', title: 'Notes', content: '# not a heading', content_type: 'text/plain' },
    ]);
    expect(await ask(id, 'heading')).toMatchObject([{ title: 'Notes', content: '# not a heading' }]);
  });

  it('in reStructuredText and AsciiDoc have headings and code', async () => {
    const id = await createIndex();
    const rst = 'Guide\n=====\n\nParcels\n-------\n\n.. code-block:: py\n\n   track(parcel)\n';
    const asciiDoc = '= Manual\n\n[#post]\n== Letters\n\n[source,js]\n----\npost(letter)\n----\n';
    const added = await add(id, [
      { source: 'guide.rst', content: rst, content_type: 'text/x-rst' },
      { source: 'manual.adoc', content: asciiDoc, content_type: 'text/asciidoc' },
    ]);
    expect(added).toEqual({ added: 2, unchanged: 0, skipped: [] });
    expect(await ask(id, 'track')).toMatchObject([
      { title: 'Guide › Parcels', line: 6, content: '```py\ntrack(parcel)\n```' },
    ]);
    expect(await ask(id, 'letters')).toMatchObject([
      { title: 'Manual › Letters', anchor: 'post', content: '```js\npost(letter)\n```' },
    ]);
  });

  it('that cannot be read are skipped with the reason, and harm no other', async () => {
    const id = await createIndex();
    const broken = { source: 'api.json', content: '{', content_type: 'application/json' };
    expect(await add(id, [broken, guide])).toEqual({
      added: 1,
      unchanged: 0,
      skipped: [{ source: 'api.json', reason: expect.stringContaining('not JSON') }],
    });
    expect(await ask(id, 'install')).toHaveLength(1);
  });

  it('are listed, and deleted by their sources', async () => {
    const id = await createIndex();
    await add(id, [guide, { ...guide, source: 'a.md' }]);
    const path = routePath(API.indexes.documents, { index_id: id });
    const list = async () => (await tenant.get(path).expect(200)).body;
    expect(await list()).toEqual({
      items: [
        { source: 'a.md', title: 'Guide' },
        { source: 'docs/guide.md', title: 'Guide' },
      ],
    });
    const { body } = await tenant
      .post(routePath(API.indexes.deleteDocuments, { index_id: id }), { sources: ['a.md', 'none'] })
      .expect(200);
    expect(body).toEqual({ deleted: 1 });
    expect((await list()).items).toEqual([{ source: 'docs/guide.md', title: 'Guide' }]);
    expect(await ask(id, 'install')).toMatchObject([{ source: 'docs/guide.md' }]);
  });

  it.each([
    [{ documents: [{}] }, 'documents[0].source must be a string, not absent'],
    [{ documents: [{ ...guide, content_type: 'image/png' }] }, 'documents[0].content_type must be one of'],
    [{ documents: [{ ...guide, source: ' ' }] }, 'documents[0].source must be a path or an address'],
    [{ documents: {} }, 'documents must be an array'],
  ])('are refused with the field that is wrong (%#)', async (body, detail) => {
    const path = routePath(API.indexes.documents, { index_id: await createIndex() });
    const answer = await tenant.post(path, body).expect(400);
    expect(answer.body).toEqual({ detail: expect.stringContaining(detail), status_code: 400 });
  });
});

describe('POST get-context', () => {
  const words = fc.array(fc.constantFrom('retry', 'timeout', 'maxSockets', 'refund', 'reply', 'the'), {
    minLength: 1,
    maxLength: 6,
  });
  const documents = fc.array(words, { minLength: 1, maxLength: 4 }).map((pages) =>
    pages.map((page, at) => ({
      source: `p${at}.md`,
      content: page.join(' '),
      content_type: 'text/markdown',
    })),
  );

  it('ranks one index as if no other index and no other account were there', async () => {
    const other = await service.addTenant();
    await fc.assert(
      fc.asyncProperty(documents, documents, words, async (mine, theirs, query) => {
        const alone = await createIndex();
        await add(alone, mine);
        const expected = await ask(alone, query.join(' '));

        const sibling = await createIndex();
        await add(sibling, theirs);
        const { body } = await other.post(API.indexes.create.path, { name: 'Docs', type: 'SDK' }).expect(201);
        await other
          .post(routePath(API.indexes.addDocuments, { index_id: body.index_id }), { documents: theirs })
          .expect(200);
        await other
          .post(API.developer.getContext.path, { index_id: body.index_id, query: query.join(' ') })
          .expect(200);
        expect(await ask(alone, query.join(' '))).toEqual(expected);
      }),
      { numRuns: 15 },
    );
  });

  it('finds names by their parts and in any spelling, and words with a typo', async () => {
    const id = await createIndex();
    await add(id, [
      guide,
      { source: 'mock.md', content: '# Mocks\n\nCall `disableNetConnect()`.', content_type: 'text/markdown' },
    ]);
    for (const query of [
      'disable net connect',
      'disableNetConnect',
      'DISABLE_NET_CONNECT',
      'disabel conect',
    ]) {
      expect(await ask(id, query)).toMatchObject([{ source: 'mock.md' }]);
    }
  });

  it('accepts any text as a query', async () => {
    const id = await createIndex();
    await add(id, [guide]);
    for (const query of ['"', 'NEAR(', '* AND ^', 'title:x', "'; DROP TABLE sections; --", '', '\u0000']) {
      expect(await ask(id, query)).toEqual([]);
    }
  });

  it('returns 5 results, or the requested number', async () => {
    const id = await createIndex();
    const content = Array.from({ length: 60 }, (_, index) => `## Part ${index}\n\nsubject`).join('\n\n');
    await add(id, [{ source: 'long.md', content, content_type: 'text/markdown' }]);
    expect(await ask(id, 'subject')).toHaveLength(5);
    expect(await ask(id, 'subject', 50)).toHaveLength(50);
    const { body } = await tenant
      .post(API.developer.getContext.path, { index_id: id, query: 'x', limit: 51 })
      .expect(400);
    expect(body.detail).toBe('limit must be a whole number from 1 to 50, not 51');
  });

  it('reports an unknown index', async () => {
    const { body } = await tenant
      .post(API.developer.getContext.path, { index_id: 'scrape_1', query: 'x' })
      .expect(404);
    expect(body).toEqual({ detail: 'Index scrape_1 not found', status_code: 404 });
  });

  it('returns passages within a budget of tokens, and at least one', async () => {
    const id = await createIndex();
    const content = Array.from(
      { length: 9 },
      (_, at) => `## Part ${at}\n\nsubject ${'word '.repeat(80)}`,
    ).join('\n\n');
    await add(id, [{ source: 'long.md', content, content_type: 'text/markdown' }]);
    expect(await answer({ index_id: id, query: 'subject', max_tokens: 350 })).toHaveLength(3);
    expect(await answer({ index_id: id, query: 'subject', max_tokens: 5 })).toHaveLength(1);
    expect(await answer({ index_id: id, query: 'subject', max_tokens: 5000 })).toHaveLength(9);
    expect(await answer({ index_id: id, query: 'subject', max_tokens: 5000, limit: 2 })).toHaveLength(2);
  });

  it('expands a passage by its neighbours or to its page, with each section once', async () => {
    const id = await createIndex();
    const content = '# T\n\none\n\n## A\n\ntwo\n\n## B\n\nneedle\n\n## C\n\nfour needle\n\n## D\n\nfive';
    await add(id, [{ source: 'page.md', content, content_type: 'text/markdown' }]);
    const around = await answer({ index_id: id, query: 'needle', expand: 'neighbours' });
    expect(around).toMatchObject([
      { title: 'T › A', content: 'two\n\n### B\n\nneedle\n\n### C\n\nfour needle' },
    ]);
    const page = await answer({ index_id: id, query: 'needle', expand: 'page' });
    expect(page).toMatchObject([{ title: 'T', line: 1, content: expect.stringMatching(/^one[^]+five$/) }]);
    const small = await answer({ index_id: id, query: 'needle', expand: 'page', max_tokens: 8 });
    expect(small[0].content).toContain('needle');
    expect(small[0].content).not.toContain('five');
  });

  it('searches several indexes at once, nearest passages first', async () => {
    const [first, second] = [await createIndex(), await createIndex()];
    await add(first, [guide, { ...guide, source: 'x.md', content: 'about refunds of parcels' }]);
    await add(second, [{ ...guide, source: 'y.md', content: '# Refunds\n\nrefunds take five days' }]);
    const found = await answer({ index_ids: [first, second], query: 'how long do refunds take' });
    expect(
      found.map(({ index_id, source }: { index_id: string; source: string }) => [index_id, source]),
    ).toEqual([
      [second, 'y.md'],
      [first, 'x.md'],
    ]);
  });

  it('returns once what several indexes contain', async () => {
    const [first, second] = [await createIndex(), await createIndex()];
    await add(first, [guide]);
    await add(second, [
      { ...guide, source: 'copy.md' },
      { ...guide, source: 'new.md', content: 'install anew' },
    ]);
    const found = await answer({ index_ids: [first, second], query: 'install' });
    expect(found.map(({ content }: { content: string }) => content).sort()).toEqual([
      'Run `npm install`.',
      'install anew',
    ]);
  });

  it('accepts and answers the examples of docs/indexes.md', async () => {
    const text = readFileSync(join(__dirname, '../../../docs/indexes.md'), 'utf8');
    const body = /get-context[^]*?-d '(\{[^]*?\})'/.exec(text)?.[1] ?? '';
    const shown = JSON.parse(/```json\n([^]*?)\n```/.exec(text)?.[1] ?? '');
    const id = await createIndex();
    const content = '# Mocking\n\n## Block real requests\n\nCall `disableNetConnect()`.';
    await add(id, [{ source: 'docs/mocking.md', content, content_type: 'text/markdown' }]);
    const { body: answered } = await tenant
      .post(API.developer.getContext.path, { ...JSON.parse(body), index_id: id })
      .expect(200);
    const listKeys = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(listKeys)
        : value !== null && typeof value === 'object'
          ? Object.entries(value).map(([key, inner]) => [key, listKeys(inner)])
          : typeof value;
    expect(listKeys(answered)).toEqual(listKeys(shown));
    for (const field of ['title', 'heading_path', 'source', 'anchor'])
      expect(answered.data.results[0][field]).toEqual(shown.data.results[0][field]);
  });

  it('skips code in other languages, and keeps text for all of them', async () => {
    const id = await createIndex();
    const content = [
      ['In Python', 'py', 'charge(customer)'],
      ['In Ruby', 'ruby', 'charge customer'],
      ['In the shell', 'sh', 'charge --customer'],
    ].map(([heading, name, code]) => `## ${heading}\n\n\`\`\`${name}\n${code}\n\`\`\``);
    await add(id, [{ ...guide, content: ['# Charges', 'charge a customer', ...content].join('\n\n') }]);
    const titles = async (language?: string): Promise<string[]> =>
      (await answer({ index_id: id, query: 'charge customer', language }))
        .map(({ heading_path }: { heading_path: string[] }) => heading_path.at(-1))
        .sort();
    expect(await titles()).toEqual(['Charges', 'In Python', 'In Ruby', 'In the shell']);
    expect(await titles('Python')).toEqual(['Charges', 'In Python', 'In the shell']);
    expect(await titles('rb')).toEqual(['Charges', 'In Ruby', 'In the shell']);
    expect(await titles('go')).toEqual(['Charges', 'In the shell']);
  });

  it.each([
    [{ index_id: 'scrape_1', language: ' ' }, 'language must not be blank'],
    [{ index_id: 'scrape_1', index_ids: ['scrape_1'] }, 'index_ids cannot be combined with index_id'],
    [{ index_ids: [] }, 'index_ids must have 1 to 20 ids, not 0'],
    [{ index_id: 'scrape_1', expand: 'book' }, 'expand must be one of neighbours, page, not "book"'],
    [{ index_id: 'scrape_1', max_tokens: 0 }, 'max_tokens must be a whole number from 1 to 100000, not 0'],
  ])('refuses what is wrong with the field (%#)', async (body, detail) => {
    const answer = await tenant.post(API.developer.getContext.path, { query: 'x', ...body }).expect(400);
    expect(answer.body).toEqual({ detail, status_code: 400 });
  });
});
