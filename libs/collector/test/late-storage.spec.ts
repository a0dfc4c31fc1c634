import { type SpanRecord } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { ndjson, span } from './support/records.js';
import { ManualClock } from './support/manual-clock.js';
import { openOracleStorage } from './oracle/oracle-storage.js';
import { Service, type Tenant } from './support/service.js';

const clock = new ManualClock();
let service: Service;
let tenant: Tenant;

beforeAll(async () => {
  service = await Service.start({
    clock,
    storage: () => openOracleStorage({ visibleAfterMs: 1000, payloadVisibleAfterMs: 2000, clock }),
  });
  tenant = await service.addTenant();
});

afterAll(() => service.close());

describe('a store that shows writes late', () => {
  it('acknowledges at once, and marks a read as possibly too early', async () => {
    const stored = span();
    await tenant.store(stored);
    const path = routePath(API.traces.get, { id: stored.trace_id });
    const { body } = await tenant.get(path).expect(404);
    expect(body.detail).toBe(`Trace ${stored.trace_id} not found, or not readable yet`);
    clock.advance(2);
    expect((await tenant.get(path).expect(200)).body.spans).toHaveLength(1);
  });

  it('returns no call whose payload is not readable yet, and returns it later', async () => {
    const call = span({ trace_function_key: 'late' });
    await tenant.store(call);
    const found = async (): Promise<string[]> =>
      (await tenant.post(API.calls.search.path, { trace_function_key: 'late' }).expect(200)).body.items.map(
        ({ span_id }: { span_id: string }) => span_id,
      );
    clock.advance(1);
    expect(await found()).toEqual([]);
    clock.advance(1);
    expect(await found()).toEqual([call.id]);
  });

  it('accepts an item whose recorded call is not readable yet, and completes it later', async () => {
    const [same, other] = [span(), span()];
    await tenant.store(same, other);
    const { body: run } = await tenant
      .post(API.testRuns.create.path, { trace_function_key: 'answer' })
      .expect(201);
    const items = routePath(API.testRuns.report, { id: run.id });
    const makeItem = (item_no: number, source: SpanRecord, rest: object) => ({
      item_no,
      source_trace_id: source.trace_id,
      source_span_id: source.id,
      ...rest,
    });
    const reports = [
      makeItem(0, same, { result: 'answer' }),
      makeItem(1, other, { result: 'wrong', verdict: 'same' }),
    ];
    await tenant.post(items, { items: reports }).expect(200, { accepted: 2, rejected: [] });
    const totals = async () => (await tenant.get(routePath(API.testRuns.get, { id: run.id }))).body.totals;
    expect(await totals()).toMatchObject({ items: 2, unknown: 1, same: 1 });
    clock.advance(2);
    const item = await tenant.get(routePath(API.testRuns.getItem, { id: run.id, item_no: '0' })).expect(200);
    expect(item.body).toMatchObject({ verdict: 'same', original_output: 'answer' });
    const finished = await tenant.post(routePath(API.testRuns.finish, { id: run.id }), {}).expect(200);
    expect(finished.body.totals).toMatchObject({ items: 2, same: 1, changed: 1, unknown: 0 });
  });

  it('stores a repeated batch once', async () => {
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
    const path = routePath(API.traces.getSpan, { id: stored.trace_id, span_id: stored.id });
    expect((await someone.get(path).expect(200)).body).toEqual(stored);
    await inMemory.close();
  });

  it('refuses a word that names no store', async () => {
    const storage = 'redis' as 'sqlite';
    await expect(Service.start({ storage })).rejects.toMatchObject({
      code: 'COLLECTOR_INVALID_OPTION',
      message:
        'Option storage must be "sqlite", "memory", the address of a PostgreSQL database or a function that opens a store, not "redis". ' +
        'Omit it for SQLite, or write it as postgres://user:password@host/database.',
    });
  });
});
