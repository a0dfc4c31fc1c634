import { formatTimestamp, type SpanRecord } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { DeletionRunner } from '../src/deletions/deletion-runner.js';
import { RetentionService } from '../src/deletions/retention-service.js';
import { DRIVERS } from './support/drivers.js';
import { ManualClock } from './support/manual-clock.js';
import { span } from './support/records.js';
import { Service, type Tenant } from './support/service.js';

describe.each(DRIVERS)('retention on %s', (_, storage) => {
  const clock = new ManualClock();
  let service: Service;
  let tenant: Tenant;

  beforeAll(async () => {
    service = await Service.start({ clock, ...(storage && { storage }) });
  });

  beforeEach(async () => {
    tenant = await service.addTenant();
  });

  afterAll(() => service.close());

  const aged = (days: number, more: Partial<SpanRecord> = {}): SpanRecord => {
    const started_at = formatTimestamp(clock.nowUs() - days * 24 * 3600e6);
    return span({ started_at, ended_at: started_at, ...more });
  };
  const set = (body: object) => tenant.post(API.retention.set.path, body);
  const apply = async (): Promise<void> => {
    await service.app.get(RetentionService).apply();
    await service.app.get(DeletionRunner).idle();
  };
  const traceIds = async (): Promise<string[]> =>
    (await tenant.get(API.traces.list.path).expect(200)).body.items
      .map(({ id }: { id: string }) => id)
      .sort();
  const toIds = (...spans: SpanRecord[]): string[] => spans.map(({ trace_id }) => trace_id).sort();

  it('keeps everything without a rule, and deletes what is older than a rule allows', async () => {
    const [old, young] = [aged(31), aged(29)];
    await tenant.store(old, young);
    await apply();
    expect(await traceIds()).toEqual(toIds(old, young));
    expect((await set({ days: 30 }).expect(200)).body).toEqual({ days: 30, keys: [] });
    await apply();
    expect(await traceIds()).toEqual(toIds(young));
    const { body } = await tenant.get(API.deletions.list.path).expect(200);
    expect(body.items).toEqual([expect.objectContaining({ reason: 'retention', state: 'done' })]);
    // Nothing is too old: there is no job.
    await apply();
    expect((await tenant.get(API.deletions.list.path)).body.items).toHaveLength(1);
  });

  it('reports in advance what a rule would delete, and sets none', async () => {
    const kept = { trace_function_key: 'kept' };
    await tenant.store(aged(31), aged(29), aged(31, kept), aged(40, kept), aged(1, kept));
    const preview = (body: object) => tenant.post(API.retention.preview.path, body);
    expect((await preview({ days: 30 }).expect(200)).body).toEqual({ traces: 3, spans: 3, of_traces: 5 });
    expect((await preview({ ...kept, days: 35 })).body).toEqual({ traces: 1, spans: 1, of_traces: 3 });
    await set({ ...kept, days: 365 }).expect(200);
    // What has a rule of its own is none of the account's.
    expect((await preview({ days: 30 })).body).toEqual({ traces: 1, spans: 1, of_traces: 2 });
    await preview({ days: null }).expect(400);
    expect((await tenant.get(API.retention.get.path)).body).toEqual({ keys: [{ ...kept, days: 365 }] });
  });

  it('uses the rule of the key, shorter or longer, and the shortest of several', async () => {
    const short = aged(8, { trace_function_key: 'short' });
    const long = aged(300, { trace_function_key: 'long' });
    const both = aged(8, { trace_function_key: 'long' });
    const inside = aged(8, { trace_id: both.trace_id, parent_id: both.id, trace_function_key: 'short' });
    const [other, old] = [aged(8), aged(31)];
    await tenant.store(short, long, both, inside, other, old);
    await set({ days: 30 }).expect(200);
    await set({ trace_function_key: 'short', days: 7 }).expect(200);
    await set({ trace_function_key: 'long', days: 365 }).expect(200);
    await apply();
    expect(await traceIds()).toEqual(toIds(long, other));
  });

  it('leaves the items of datasets, which somebody copied on purpose, and erases those of old runs', async () => {
    const old = aged(31);
    await tenant.store(old);
    await tenant.post(API.datasets.create.path, { name: 'd' }).expect(201);
    const selection = { trace_ids: [old.trace_id] };
    const versions = routePath(API.datasets.addVersion, { name: 'd' });
    await tenant.post(versions, { from_calls: { trace_function_key: 'answer', selection } }).expect(200);
    const { body: run } = await tenant
      .post(API.testRuns.create.path, { trace_function_key: 'answer' })
      .expect(201);
    const path = routePath(API.testRuns.report, { id: run.id });
    await tenant.post(path, { items: [{ item_no: 0, input: ['mine'], result: 1 }] }).expect(200);
    await set({ days: 30 }).expect(200);
    await apply();
    expect(await traceIds()).toEqual([]);
    const items = routePath(API.datasets.listItems, { name: 'd', version: 'latest' });
    expect((await tenant.get(items)).body.items).toEqual([expect.objectContaining({ input: ['question'] })]);
    expect((await tenant.get(path)).body.items[0]).not.toHaveProperty('erased');
    clock.advanceDays(31);
    await apply();
    expect((await tenant.get(path)).body.items).toEqual([{ item_no: 0, verdict: 'unknown', erased: true }]);
  });

  it('removes a rule, and rejects an invalid one', async () => {
    await set({ days: 30 }).expect(200);
    await set({ trace_function_key: 'k', days: 7 }).expect(200);
    const keys = [{ trace_function_key: 'k', days: 7 }];
    expect((await set({ days: null }).expect(200)).body).toEqual({ keys });
    expect((await tenant.get(API.retention.get.path)).body).toEqual({ keys });
    for (const body of [
      {},
      { days: 0 },
      { days: 1.5 },
      { days: '7' },
      { trace_function_key: ' ', days: 7 },
    ]) {
      await set(body).expect(400);
    }
    expect((await (await service.addTenant()).get(API.retention.get.path)).body).toEqual({ keys: [] });
  });
});
