import { ROUTES, routePath } from '@dacapo/protocol';
import { Service, type Tenant } from './support/service.js';

let service: Service;
let tenant: Tenant;

beforeAll(async () => {
  service = await Service.start();
  tenant = await service.addTenant();
});

afterAll(() => service.close());

const createIndex = async (): Promise<string> =>
  (await tenant.post(ROUTES.indexes, { name: 'Docs', type: 'SDK' }).expect(201)).body.index_id;
const add = async (index_id: string, documents: object[]) =>
  (await tenant.post(routePath(ROUTES.indexDocuments, { index_id }), { documents }).expect(200)).body;
const ask = async (index_id: string, query: string, limit?: number) =>
  (await tenant.post(ROUTES.getContext, { index_id, query, limit }).expect(200)).body.data.results;

const guide = {
  source: 'docs/guide.md',
  content: '# Guide\n\nWelcome.\n\n## Install\n\nRun `npm install`.\n\n## Configure\n\nSet the timeout.',
  content_type: 'text/markdown',
};

describe('an index', () => {
  it('is created, listed with its documents counted, and deleted', async () => {
    const other = await service.addTenant();
    const { body: created } = await other.post(ROUTES.indexes, { name: 'Git', type: 'CLI' }).expect(201);
    expect(created).toEqual({
      name: 'Git',
      index_id: expect.stringMatching(/^scrape_\d{16}$/),
      type: 'CLI',
      document_count: 0,
      created_at: expect.any(String),
    });
    expect((await other.get(ROUTES.indexes).expect(200)).body).toEqual({ items: [created] });
    const path = routePath(ROUTES.index, { index_id: created.index_id });
    await other.delete(path).expect(204);
    const { body } = await other.delete(path).expect(404);
    expect(body).toEqual({ detail: `Index ${created.index_id} not found`, status_code: 404 });
  });

  it('SPEC 2.4: has one of four types', async () => {
    const { body } = await tenant.post(ROUTES.indexes, { name: 'x', type: 'BOOK' }).expect(400);
    expect(body).toEqual({
      detail: 'type must be one of SDK, CLI, API, OTHER, not "BOOK"',
      status_code: 400,
    });
  });
});

describe('documents', () => {
  it('become sections by heading, found by their words', async () => {
    const id = await createIndex();
    expect(await add(id, [guide])).toEqual({ added: 1, unchanged: 0 });
    expect(await ask(id, 'how do I install it?')).toEqual([
      {
        title: 'Guide › Install',
        source: 'docs/guide.md',
        content: 'Run `npm install`.',
        score: expect.any(Number),
      },
    ]);
  });

  it('are known when they have not changed, and replaced when they have', async () => {
    const id = await createIndex();
    await add(id, [guide]);
    expect(await add(id, [guide, { ...guide, source: 'copy.md' }])).toEqual({ added: 1, unchanged: 1 });
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

  it.each([
    [{ documents: [{}] }, 'documents[0].source must be a string, not absent'],
    [{ documents: [{ ...guide, content_type: 'image/png' }] }, 'documents[0].content_type must be one of'],
    [{ documents: [{ ...guide, source: ' ' }] }, 'documents[0].source must be a path or an address'],
    [{ documents: {} }, 'documents must be an array'],
  ])('are refused with the field that is wrong (%#)', async (body, detail) => {
    const path = routePath(ROUTES.indexDocuments, { index_id: await createIndex() });
    const answer = await tenant.post(path, body).expect(400);
    expect(answer.body).toEqual({ detail: expect.stringContaining(detail), status_code: 400 });
  });
});

describe('POST get-context', () => {
  it('takes any text for a query', async () => {
    const id = await createIndex();
    await add(id, [guide]);
    for (const query of ['"', 'NEAR(', '* AND ^', 'title:x', "'; DROP TABLE sections; --", '', '\u0000']) {
      expect(await ask(id, query)).toEqual([]);
    }
  });

  it('gives 5 results, or as many as asked for', async () => {
    const id = await createIndex();
    const content = Array.from({ length: 60 }, (_, index) => `## Part ${index}\n\nsubject`).join('\n\n');
    await add(id, [{ source: 'long.md', content, content_type: 'text/markdown' }]);
    expect(await ask(id, 'subject')).toHaveLength(5);
    expect(await ask(id, 'subject', 50)).toHaveLength(50);
    const { body } = await tenant
      .post(ROUTES.getContext, { index_id: id, query: 'x', limit: 51 })
      .expect(400);
    expect(body.detail).toBe('limit must be a whole number from 1 to 50, not 51');
  });

  it('says that an index is not there', async () => {
    const { body } = await tenant.post(ROUTES.getContext, { index_id: 'scrape_1', query: 'x' }).expect(404);
    expect(body).toEqual({ detail: 'Index scrape_1 not found', status_code: 404 });
  });
});
