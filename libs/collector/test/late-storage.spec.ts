import { InMemoryStorage } from '@dacapo/collector';
import { ROUTES, routePath } from '@dacapo/protocol';
import { ndjson, span } from './support/records.js';
import { ManualClock } from './support/manual-clock.js';
import { Service, type Tenant } from './support/service.js';

const clock = new ManualClock();
let service: Service;
let tenant: Tenant;

beforeAll(async () => {
  const storage = new InMemoryStorage({ visibleAfterMs: 1000, payloadVisibleAfterMs: 2000, clock });
  service = await Service.start({ clock, storage: () => storage });
  tenant = await service.addTenant();
});

afterAll(() => service.close());

describe('a store that shows late what it took in', () => {
  it('acknowledges at once, and says of a read that it may come too early', async () => {
    const stored = span();
    await tenant.store(stored);
    const path = routePath(ROUTES.trace, { id: stored.trace_id });
    const { body } = await tenant.get(path).expect(404);
    expect(body.detail).toBe(`Trace ${stored.trace_id} not found, or not readable yet`);
    clock.advance(2);
    expect((await tenant.get(path).expect(200)).body.spans).toHaveLength(1);
  });

  it('gives no call whose payload is not there yet, and gives it once it is', async () => {
    const call = span({ trace_function_key: 'late' });
    await tenant.store(call);
    const found = async (): Promise<string[]> =>
      (await tenant.post(ROUTES.searchCalls, { trace_function_key: 'late' }).expect(200)).body.items.map(
        ({ span_id }: { span_id: string }) => span_id,
      );
    clock.advance(1);
    expect(await found()).toEqual([]);
    clock.advance(1);
    expect(await found()).toEqual([call.id]);
  });

  it('asks to send a report again whose recorded call is not there yet', async () => {
    const call = span();
    await tenant.store(call);
    const { body: run } = await tenant.post(ROUTES.testRuns, { trace_function_key: 'answer' }).expect(201);
    const items = routePath(ROUTES.testRunItems, { id: run.id });
    const report = {
      items: [{ item_no: 0, source_trace_id: call.trace_id, source_span_id: call.id, result: 'answer' }],
    };
    await tenant.post(items, report).expect(503).expect('retry-after', '5');
    clock.advance(2);
    await tenant.post(items, report).expect(204);
    expect((await tenant.get(items).expect(200)).body.items).toMatchObject([{ verdict: 'same' }]);
  });

  it('takes a batch that is sent again once', async () => {
    const stored = span();
    const body = ndjson([{ span: stored }]);
    await tenant.ingest(body, { 'dacapo-batch-id': 'b-1' }).expect(200, { accepted: 1, rejected: [] });
    await tenant
      .ingest(body, { 'dacapo-batch-id': 'b-1' })
      .expect(200, { accepted: 1, rejected: [], duplicate: true });
  });
});

describe('the option storage', () => {
  it('keeps all in memory when it is "memory"', async () => {
    const inMemory = await Service.start({ storage: 'memory', dataDir: '/dev/null/nowhere' });
    const someone = await inMemory.addTenant();
    const stored = span();
    await someone.store(stored);
    const path = routePath(ROUTES.span, { id: stored.trace_id, span_id: stored.id });
    expect((await someone.get(path).expect(200)).body).toEqual(stored);
    await inMemory.close();
  });

  it('refuses a word that names no store', async () => {
    const storage = 'redis' as 'sqlite';
    await expect(Service.start({ storage })).rejects.toMatchObject({
      code: 'COLLECTOR_INVALID_OPTION',
      message:
        'Option storage must be "sqlite", "memory" or a function that opens a store, not "redis". Leave it out for SQLite.',
    });
  });
});
