import { createClient, type Transport } from './client.js';
import { readPages } from './read-pages.js';

type Sent = Parameters<Transport['request']>;

const sentBy = async (call: (client: ReturnType<typeof createClient>) => Promise<unknown>): Promise<Sent> => {
  const sent: Sent[] = [];
  const client = createClient({
    request: (...request) => {
      sent.push(request);
      return Promise.resolve({ from: 'a newer service' });
    },
  });
  await call(client);
  return sent[0]!;
};

describe('a typed client', () => {
  it('puts path parameters into the path', async () => {
    const [method, path, body] = await sentBy((client) => client.deletions.get({ id: 'a/b' }));
    expect([method, path, body]).toEqual(['GET', '/api/v1/deletions/a%2Fb', undefined]);
  });

  it('puts query parameters into the address', async () => {
    const [, path, body] = await sentBy((client) => client.deletions.list({ limit: 20, cursor: 'c=1' }));
    expect([path, body]).toEqual(['/api/v1/deletions?limit=20&cursor=c%3D1', undefined]);
  });

  it('sends the fields of the body, and null where it has a meaning', async () => {
    const [method, path, body] = await sentBy((client) => client.retention.set({ days: null }));
    expect([method, path, body]).toEqual(['POST', '/api/v1/retention', { days: null }]);
  });

  it('requires the fields that every answer of the route has', async () => {
    expect((await sentBy((client) => client.retention.get()))[3]).toEqual(['keys[]']);
    expect((await sentBy((client) => client.deletions.list()))[3]).toEqual(['items[]']);
    const members = (await sentBy((client) => client.developer.listIndexes()))[3];
    expect(members).toEqual(['ok', 'data', 'data.indexes[]']);
  });

  it('reads a list to its end', async () => {
    const pages = [{ items: [1, 2], next_cursor: 'c' }, { items: [3] }];
    const requests: unknown[] = [];
    const read: unknown[] = [];
    for await (const items of readPages((page) => {
      requests.push(page);
      return Promise.resolve(pages[requests.length - 1]!);
    }))
      read.push(items);
    expect(read).toEqual([[1, 2], [3]]);
    expect(requests).toEqual([
      { limit: 200, cursor: undefined },
      { limit: 200, cursor: 'c' },
    ]);
  });

  it('keeps unknown fields of an answer, and passes on a signal', async () => {
    const { signal } = new AbortController();
    const client = createClient({ request: (...sent) => Promise.resolve({ options: sent[4] }) });
    expect(await client.retention.get({}, { signal })).toEqual({ options: { signal } });
  });
});
