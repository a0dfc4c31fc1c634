import {
  type Answer,
  type LoopbackService,
  startLoopbackService,
} from '../../test/service/loopback-service.js';
import { ServiceClient } from '../service/service-client.js';
import { IndexesClient } from './indexes-client.js';

const SDK = { name: 'Stripe', index_id: 'scrape_1', type: 'SDK' };

describe('IndexesClient', () => {
  let service: LoopbackService;
  let nowMs = 0;

  async function createClient(answer: Answer): Promise<IndexesClient> {
    service = await startLoopbackService(answer);
    const http = new ServiceClient({ serviceUrl: service.url, apiKey: 'key-1', timeoutMs: 2000 });
    return new IndexesClient(
      () => Promise.resolve(http),
      () => nowMs,
    );
  }

  afterEach(() => service.close());

  const listing: Answer = () => ({ body: { ok: true, error: null, data: { indexes: [SDK] } } });

  it('lists the indexes of the service, with the key in the API-Key header (SPEC 4.1, 5)', async () => {
    const client = await createClient(listing);
    expect(await client.list()).toEqual([SDK]);
    expect(service.calls).toMatchObject([
      { method: 'GET', path: '/api/v1/developer/list-indexes', headers: { 'api-key': 'key-1' }, body: '' },
    ]);
  });

  it('caches the list, and reloads it on request or after five minutes (SPEC 1)', async () => {
    const client = await createClient(listing);
    await Promise.all([client.list(), client.list()]);
    await client.list();
    expect(service.calls).toHaveLength(1);
    await client.list({ refresh: true });
    expect(service.calls).toHaveLength(2);
    nowMs += 6 * 60_000;
    await client.list();
    expect(service.calls).toHaveLength(3);
  });

  it('returns copies: a caller cannot change the next result', async () => {
    const client = await createClient(listing);
    const [first] = await client.list();
    first!.name = 'changed';
    expect(await client.list()).toEqual([SDK]);
  });

  it.each([
    [401, 'Invalid API key'],
    [404, 'No API key found'],
  ])("passes on the service's %d: %s (SPEC 7), and does not keep it", async (status, detail) => {
    let failing = true;
    const client = await createClient((call) =>
      failing ? { status, body: { detail, status_code: status } } : listing(call),
    );
    await expect(client.list()).rejects.toMatchObject({ code: 'TRACER_SERVICE_RESPONSE', status, detail });
    failing = false;
    expect(await client.list()).toEqual([SDK]);
  });

  it('explains what to check when the service is unreachable', async () => {
    const client = await createClient(listing);
    await service.close();
    await expect(client.list()).rejects.toMatchObject({
      code: 'TRACER_SERVICE_UNREACHABLE',
      message: expect.stringContaining('TRACER_SERVICE_URL'),
    });
  });

  it('calls get-context with the listed index_id', async () => {
    const results = [{ title: 't', source: 's', content: 'c', score: 1 }];
    const client = await createClient(() => ({
      body: { ok: true, error: null, data: { index_id: 'scrape_1', results } },
    }));
    expect(await client.getContext('scrape_1', 'refund', { limit: 3 })).toEqual(results);
    expect(service.calls[0]).toMatchObject({
      method: 'POST',
      path: '/api/v1/developer/get-context',
      body: { index_id: 'scrape_1', query: 'refund', limit: 3 },
    });
  });

  it('searches several indexes together, within a budget, for one language, with neighbours', async () => {
    const client = await createClient(() => ({ body: { ok: true, error: null, data: { results: [] } } }));
    await client.getContext(['scrape_1', 'scrape_2'], 'refund', {
      maxTokens: 4000,
      expand: 'neighbours',
      language: 'ts',
    });
    expect(service.calls[0]?.body).toEqual({
      index_ids: ['scrape_1', 'scrape_2'],
      query: 'refund',
      max_tokens: 4000,
      expand: 'neighbours',
      language: 'ts',
    });
  });

  it.each([NaN, 0, 1.5, -1])('rejects the limit %p, which would be ignored', async (limit) => {
    const client = await createClient(listing);
    await expect(client.getContext('scrape_1', 'refund', { limit })).rejects.toMatchObject({
      code: 'TRACER_INVALID_OPTION',
    });
    expect(service.calls).toEqual([]);
  });

  it('keeps a fresh list when a refresh fails', async () => {
    let failing = false;
    const client = await createClient((call) =>
      failing ? { status: 503, body: { detail: 'busy', status_code: 503 } } : listing(call),
    );
    await client.list();
    failing = true;
    await expect(client.list({ refresh: true })).rejects.toMatchObject({ status: 503 });
    expect(await client.list()).toEqual([SDK]);
  });
});
