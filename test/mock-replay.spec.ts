import { startCollector } from '@dacapo/collector';
import type { Page, SpanRecord, TestRunItemRecord, TraceDetail } from '@dacapo/protocol';
import { type ReplayItem, type ReplayOptions, Tracer } from '@dacapo/tracer';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from './support/remove-folder.js';

/** Side effects of a shop outside its process. */
class Outside {
  readonly mails: string[] = [];
  readonly lookups: string[] = [];
}

interface Shop {
  readonly mail: (to: string, text: string) => Promise<{ id: number; at: Date }>;
  readonly price: (item: { sku: string; count: number }) => Promise<bigint>;
  readonly vat: (country: string) => number;
  readonly charge: (card: string, cents: number) => Promise<string>;
  readonly advise: (topic: string) => AsyncGenerator<string>;
}

/** The shop's functions, recorded by `tracer`. */
function createShop(tracer: Tracer, outside: Outside): Shop {
  return {
    mail: tracer.withSpan('shop.mail', { mockOnReplay: true }, async (to: string, text: string) => {
      outside.mails.push(`${to}: ${text}`);
      return Promise.resolve({ id: outside.mails.length, at: new Date(outside.mails.length) });
    }),
    price: tracer.withSpan('shop.price', async ({ sku, count }: { sku: string; count: number }) => {
      outside.lookups.push(sku);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
      return BigInt(sku.length * count);
    }),
    vat: tracer.withSpan('shop.vat', (country: string) => (country === 'it' ? 22 : 19)),
    charge: tracer.withSpan('shop.charge', { mockOnReplay: true }, async (card: string, cents: number) => {
      outside.lookups.push(card);
      await Promise.resolve();
      throw Object.assign(new RangeError(`${cents} is over the limit`), { code: 'E_LIMIT' });
    }),
    advise: tracer.withSpan('shop.advise', async function* (topic: string) {
      outside.lookups.push(topic);
      for (const word of ['first', topic, 'last']) yield await Promise.resolve(word);
    }),
  };
}

describe('a mock replay, from the tracer through a real collector and back', () => {
  let folder: string;
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let tracer: Tracer;
  let outside: Outside;
  let apiKey: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dacapo-mock-'));
    collector = await startCollector({ port: 0, dataDir: join(folder, 'data') });
    apiKey = collector.apiKey!;
    tracer = new Tracer({ apiKey, serviceUrl: collector.url });
  });

  afterAll(async () => {
    await tracer.shutdown();
    await collector.close();
    await removeFolder(folder);
  });

  beforeEach(() => {
    outside = new Outside();
  });

  const get = async <T>(path: string): Promise<T> =>
    (await (await fetch(`${collector.url}/api/v1${path}`, { headers: { 'api-key': apiKey } })).json()) as T;

  /** Records one call of a desk that uses the shop, and replays another version of the desk. */
  async function replay(
    key: string,
    before: (shop: Shop) => unknown,
    after: (shop: Shop) => unknown = before,
    options: ReplayOptions = { mock: 'all' },
  ): Promise<ReplayItem & { run: string }> {
    const desk = tracer.withSpan(key, async () => before(createShop(tracer, outside)));
    await desk().catch(() => undefined);
    await tracer.flush();
    outside.mails.length = outside.lookups.length = 0;
    const next = tracer.withSpan(key, async () => after(createShop(tracer, outside)));
    const { items, testRunId } = await tracer.replay(key, next, options);
    return { ...items[0]!, run: testRunId };
  }

  it('does not repeat a side effect', async () => {
    const place = async ({ mail, vat }: Shop): Promise<unknown> => {
      const sent = await mail('ann@shop.example', 'thank you');
      return [sent.id, sent.at instanceof Date, vat('it')];
    };
    const item = await replay('shop.place', place, place, { mock: 'marked' });
    expect(item).toMatchObject({ result: [1, true, 22], originalOutput: [1, true, 22], divergences: [] });
    expect(outside.mails).toEqual([]);
    const { spans } = await get<TraceDetail>(`/traces/${item.traceId!}`);
    const mocked = spans.find((span) => span.trace_function_key === 'shop.mail')!;
    const record = await get<SpanRecord>(`/traces/${item.traceId!}/spans/${mocked.id}`);
    expect(record).toMatchObject({
      source_span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      span_data: { output: { id: 1 }, meta: { mocked: true } },
    });
  });

  it('answers reordered parallel calls each from its own recording', async () => {
    const total =
      (skus: string[]) =>
      async ({ price }: Shop): Promise<unknown> =>
        Promise.all(skus.map((sku) => price({ sku, count: 2 })));
    const item = await replay(
      'shop.total',
      total(['lamp', 'bulb-e27', 'x']),
      total(['x', 'lamp', 'bulb-e27']),
    );
    expect(item.result).toEqual([2n, 8n, 16n]);
    expect(outside.lookups).toEqual([]);
  });

  it('fails on changed arguments, and the test run shows the change', async () => {
    const item = await replay(
      'shop.notify',
      async ({ mail }) => mail('ann@shop.example', 'thank you'),
      async ({ mail }) => mail('ann@shop.example', 'thanks'),
    );
    expect(outside.mails).toEqual([]);
    expect(item.error).toMatchObject({
      code: 'TRACER_REPLAY_MOCK_MISS',
      key: 'shop.mail',
      nearestArguments: '["ann@shop.example","thank you"]',
    });
    const { items } = await get<Page<TestRunItemRecord>>(`/test-runs/${item.run}/items?payloads=true`);
    expect(items).toMatchObject([
      {
        verdict: 'error',
        error: { code: 'TRACER_REPLAY_MOCK_MISS' },
        divergences: [
          {
            kind: 'changed_arguments',
            path: ['shop.mail'],
            recorded_arguments: '["ann@shop.example","thank you"]',
            new_arguments: '["ann@shop.example","thanks"]',
          },
        ],
      },
    ]);
  });

  it('throws a recorded error', async () => {
    const pay = async ({ charge }: Shop): Promise<unknown> => {
      try {
        return await charge('card-7', 9900);
      } catch (error) {
        return [error instanceof RangeError, (error as Error).message, (error as { code?: string }).code];
      }
    };
    const item = await replay('shop.pay', pay);
    expect(item.result).toEqual([true, '9900 is over the limit', 'E_LIMIT']);
    expect(outside.lookups).toEqual([]);
  });

  it('returns an async generator as an async iterable, and keeps a synchronous call synchronous', async () => {
    const talk = async ({ advise, vat }: Shop): Promise<unknown> => {
      const words: string[] = [];
      for await (const word of advise('lamps')) words.push(word);
      return [words, typeof vat('de')];
    };
    const item = await replay('shop.talk', talk);
    expect(item.result).toEqual([['first', 'lamps', 'last'], 'number']);
    expect(outside.lookups).toEqual([]);
  });

  it('finds the recording below a call inside a request, and no other', async () => {
    const inner = tracer.withSpan('shop.inner', async () => createShop(tracer, outside).mail('bob', 'hi'));
    const request = tracer.withSpan('shop.request', async () => {
      await createShop(tracer, outside).mail('bob', 'before');
      await inner();
    });
    await request();
    const { items } = await tracer.replay('shop.inner', inner, { mock: 'marked' });
    expect(items).toMatchObject([{ result: { id: 2 }, divergences: [] }]);
    expect(outside.mails).toHaveLength(2);
  });

  it('reports a requested trace that is missing', async () => {
    const traceIds = ['01a1fead-0000-7000-8000-000000000000'];
    const { testRunId } = await tracer.replay('shop.place', () => 1, { traceIds });
    const { items } = await get<Page<TestRunItemRecord>>(`/test-runs/${testRunId}/items?payloads=true`);
    expect(items).toMatchObject([
      { source_trace_id: traceIds[0], verdict: 'error', error: { code: 'TRACER_CALL_NOT_FOUND' } },
    ]);
  });
});
