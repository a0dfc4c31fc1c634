import type { AddDatasetVersionRequest, DatasetItem } from '@dacapo/protocol';
import {
  type Answer,
  type LoopbackService,
  startLoopbackService,
} from '../../test/service/loopback-service.js';
import { Capturer } from '../capture/capturer.js';
import { ServiceClient } from '../service/service-client.js';
import { DatasetsClient } from './datasets-client.js';

const VERSION = { version: 1, base: 0, item_count: 1, added: 1, removed: 0, created_at: '', unchanged: 0 };
const DATASET = { name: 'd', created_at: '', updated_at: '', latest_version: 0, item_count: 0, versions: [] };

describe('DatasetsClient', () => {
  let service: LoopbackService;

  async function createClient(answer: Answer): Promise<DatasetsClient> {
    service = await startLoopbackService(answer);
    const http = new ServiceClient({ serviceUrl: service.url, apiKey: 'key-1', timeoutMs: 30_000 });
    const capturer = new Capturer({ maxFieldBytes: 65_536, redactionSecret: 's' });
    return new DatasetsClient({ service: () => Promise.resolve(http), capturer, codecs: [] });
  }

  afterEach(() => service.close());

  const adding: Answer = () => ({ body: { ...VERSION, rejected: [] } });
  const sent = (): AddDatasetVersionRequest[] =>
    service.calls.map(({ body }) => body as AddDatasetVersionRequest);

  it('adds a list with the types of its values', async () => {
    const client = await createClient(adding);
    const at = new Date(0);
    const added = await client.add(
      'tickets',
      [{ input: at, expected: new Set(['a']), metadata: { row: 1 } }, { args: ['x', undefined, 2n] }],
      { note: 'June' },
    );
    expect(added).toMatchObject({ version: 1, rejected: [] });
    expect(service.calls).toMatchObject([{ method: 'POST', path: '/api/v1/datasets/tickets/versions' }]);
    expect(sent()).toEqual([
      {
        note: 'June',
        items: [
          {
            input: [at.toISOString()],
            meta: { input: { types: { '/0': 'Date' } } },
            expected: ['a'],
            expected_meta: { output: { types: { '': 'Set' } } },
            metadata: { row: 1 },
          },
          { input: ['x', null, '2'], meta: { input: { types: { '/1': 'undefined', '/2': 'bigint' } } } },
        ],
      },
    ]);
  });

  it.each<[string, unknown, RegExp]>([
    ['no object', 7, /^must be an object, not number$/],
    ['neither input nor args', { expected: 1 }, /^has neither input nor args$/],
    ['args that are no list', { args: 'a' }, /^args must be a list$/],
    ['a misspelt field', { input: 1, expeced: 2 }, /^expeced is not a field of an item/],
    ['an id that is none', { id: '1', input: 1 }, /^id must be a UUID/],
    ['metadata that is no object', { input: 1, metadata: 'x' }, /^metadata must be an object$/],
    ['a function', { input: () => 1 }, /^args are not completely recorded/],
    [
      'a value that would be cut',
      { input: 1, expected: 'x'.repeat(90_000) },
      /^expected is longer than capture\.maxFieldBytes/,
    ],
  ])('leaves an entry with %s out, and takes its neighbours', async (_, bad, detail) => {
    const client = await createClient(adding);
    const { rejected } = await client.add('d', [{ input: 1 }, bad as { input: unknown }, { input: 2 }]);
    expect(rejected).toEqual([{ index: 1, detail: expect.stringMatching(detail) }]);
    expect(sent()[0]?.items?.map(({ input }) => input)).toEqual([[1], [2]]);
  });

  it('sends a long list in several requests, and reports one result', async () => {
    let requests = 0;
    const client = await createClient((call) => {
      const { items = [] } = call.body as AddDatasetVersionRequest;
      const version = { ...VERSION, version: ++requests, added: items.length, item_count: 4100 };
      return { body: { ...version, rejected: [{ index: 0, detail: `first of ${requests}` }] } };
    });
    async function* entries() {
      for (let n = 0; n < 4100; n++) yield { input: 'x'.repeat(3000) };
    }
    const { rejected, ...added } = await client.add('d', entries(), { base: 3 });
    expect(requests).toBe(2);
    expect(sent().map(({ base }) => base)).toEqual([3, undefined]);
    expect(added).toMatchObject({ version: 2, added: 4100 });
    expect(rejected).toEqual([
      { index: 0, detail: 'first of 1' },
      { index: sent()[0]?.items?.length, detail: 'first of 2' },
    ]);
  });

  it('adds calls of a key, and items of a run, by asking the service for them', async () => {
    const client = await createClient(adding);
    await client.add('d', { key: 'desk', since: new Date(0), limit: 5 });
    await client.add('d', { testRunId: 'r', verdict: 'changed', itemNos: [1] });
    await client.remove('d', ['a']);
    expect(sent()).toEqual([
      {
        from_calls: {
          trace_function_key: 'desk',
          selection: { limit: 5, since: '1970-01-01T00:00:00.000Z' },
        },
      },
      { from_test_run: { id: 'r', verdict: 'changed', item_nos: [1] } },
      { remove: ['a'] },
    ]);
    await expect(client.add('d', { key: ' ' })).rejects.toMatchObject({ code: 'TRACER_INVALID_OPTION' });
    await expect(client.add('d', { key: 'k', sinc: 1 } as never)).rejects.toThrow('Did you mean since?');
  });

  it('returns items of one version page by page, with their values', async () => {
    const items: DatasetItem[] = [
      {
        id: 'a',
        input: ['1970-01-01T00:00:00.000Z'],
        meta: { input: { types: { '/0': 'Date' } } },
        expected: '7',
        expected_meta: { output: { types: { '': 'bigint' } } },
        source: { trace_id: 't' },
      },
      { id: 'b', input: [1], metadata: { row: 2 } },
    ];
    const client = await createClient(({ path }) => {
      if (!path.includes('/versions/')) return { body: { ...DATASET, latest_version: 4 } };
      const isSecond = path.includes('cursor=next');
      return {
        body: isSecond ? { items: items.slice(1) } : { items: items.slice(0, 1), next_cursor: 'next' },
      };
    });
    const read = [];
    for await (const item of client.items('d')) read.push(item);
    expect(read).toEqual([
      { id: 'a', args: [new Date(0)], expected: 7n, metadata: {}, source: { trace_id: 't' } },
      { id: 'b', args: [1], metadata: { row: 2 } },
    ]);
    expect(service.calls.map(({ path }) => path.split('?')[0])).toEqual([
      '/api/v1/datasets/d',
      '/api/v1/datasets/d/versions/4/items',
      '/api/v1/datasets/d/versions/4/items',
    ]);
  });

  it('creates, lists and deletes, and passes on rejections', async () => {
    const client = await createClient(({ method }) => {
      if (method === 'DELETE')
        return { status: 404, body: { detail: 'Dataset d not found', status_code: 404 } };
      return { body: method === 'POST' ? DATASET : { items: [DATASET], ...DATASET } };
    });
    expect(await client.create('d', { description: 'text' })).toEqual(DATASET);
    expect(service.calls[0]?.body).toEqual({ name: 'd', description: 'text' });
    expect(await client.list()).toEqual([DATASET]);
    await client.get('d');
    await expect(client.delete('d')).rejects.toMatchObject({ status: 404, detail: 'Dataset d not found' });
  });
});
