import { type DeletionRecord, newTraceId, type SpanRecord } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { DeletionRunner } from '../src/deletions/deletion-runner.js';
import type { Storage } from '../src/storage/storage.js';
import { DRIVERS } from './support/drivers.js';
import { ManualClock } from './support/manual-clock.js';
import { ndjson, span, spansToNdjson, startedAt } from './support/records.js';
import { Service, type Tenant } from './support/service.js';

describe.each(DRIVERS)('deletions on %s', (_, storage) => {
  let service: Service;
  let tenant: Tenant;

  beforeAll(async () => {
    service = await Service.start({ clock: new ManualClock(), ...(storage && { storage }) });
  });

  beforeEach(async () => {
    tenant = await service.addTenant();
  });

  afterAll(() => service.close());

  const idle = (): Promise<void> => service.app.get(DeletionRunner).idle();

  /** Deletes, waits, and tells how it ended. */
  const remove = async (body: object): Promise<DeletionRecord> => {
    const { body: created } = await tenant.post(API.deletions.create.path, body).expect(201);
    expect(created).toMatchObject({ state: 'waiting', reason: 'request' });
    await idle();
    const { body: ended } = await tenant.get(routePath(API.deletions.get, { id: created.id })).expect(200);
    expect(ended).toMatchObject({ id: created.id, state: 'done', started_at: expect.any(String) });
    return ended;
  };
  const traceIds = async (): Promise<string[]> =>
    (await tenant.get(API.traces.list.path).expect(200)).body.items.map(({ id }: { id: string }) => id);

  it('delete traces by id, and report what they deleted', async () => {
    const [deleted, kept] = [span(), span()];
    await tenant.store(deleted, span({ trace_id: deleted.trace_id }), kept);
    const { counts, scope } = await remove({ trace_ids: [deleted.trace_id, newTraceId()] });
    expect(counts).toMatchObject({ traces: 1, spans: 2 });
    expect(scope.trace_ids).toContain(deleted.trace_id);
    expect(await traceIds()).toEqual([kept.trace_id]);
    await tenant.get(routePath(API.traces.get, { id: deleted.trace_id })).expect(404);
  });

  it('delete the records of a user and late ones, and keep a hash of the id', async () => {
    const user_id = 'ann@example.com';
    const [deleted, other] = [span({ user_id, tags: ['vip'] }), span({ user_id: 'bob', tags: ['vip'] })];
    const later = span({ trace_id: deleted.trace_id, parent_id: deleted.id });
    await tenant.store(deleted, later, other);
    await tenant.post(API.deletions.preview.path, { user_id }).expect(200, { traces: 1, spans: 2 });
    const { counts, scope } = await remove({ user_id });
    expect(counts).toMatchObject({ traces: 1, spans: 2 });
    expect(scope.user_id).toMatch(/^[0-9a-f]{64}$/);
    expect(await traceIds()).toEqual([other.trace_id]);
    const late = span({ user_id, started_at: startedAt(1), ended_at: startedAt(2) });
    const { body: answer } = await tenant.ingest(spansToNdjson([late])).expect(200);
    expect(answer).toEqual({ accepted: 1, dropped: 1, rejected: [] });
    expect(await traceIds()).toEqual([other.trace_id]);
    const { body } = await tenant.get(`${API.traces.listFacets.path}?of=user_id`).expect(200);
    expect(body.items).toEqual(['bob']);
    expect((await tenant.get(`${API.traces.list.path}?tags=vip`).expect(200)).body.items).toHaveLength(1);
  });

  it('delete traces that match both key and age', async () => {
    const of = (trace_function_key: string, second: number): SpanRecord =>
      span({ trace_function_key, started_at: startedAt(second) });
    const stored = [of('a', 1), of('a', 2), of('b', 1), of('b', 2)] as const;
    await tenant.store(...stored);
    await remove({ trace_function_key: 'a', before: startedAt(2) });
    expect((await traceIds()).sort()).toEqual(
      stored
        .filter((one) => one !== stored[0])
        .map(({ trace_id }) => trace_id)
        .sort(),
    );
    await remove({ before: startedAt(2) });
    await remove({ trace_function_key: 'b' });
    expect(await traceIds()).toEqual([stored[1].trace_id]);
  });

  it('delete more traces than one search step covers', async () => {
    const many = Array.from({ length: 250 }, () => span({ trace_function_key: 'many' }));
    await tenant.store(...many, span());
    const { counts } = await remove({ trace_function_key: 'many' });
    expect(counts).toMatchObject({ traces: 250, spans: 250 });
    expect(await traceIds()).toHaveLength(1);
  });

  it('report in advance how much they would delete, and delete nothing', async () => {
    const stored = span();
    await tenant.store(stored, span({ trace_id: stored.trace_id }), span());
    const ask = (body: object) => tenant.post(API.deletions.preview.path, body).expect(200);
    expect((await ask({ trace_ids: [stored.trace_id] })).body).toEqual({ traces: 1, spans: 2 });
    expect((await ask({ trace_function_key: 'answer' })).body).toEqual({ traces: 2, spans: 3 });
    expect((await ask({ session_id: 'none' })).body).toEqual({ traces: 0, spans: 0 });
    expect(await traceIds()).toHaveLength(2);
    expect((await tenant.get(API.deletions.list.path)).body.items).toEqual([]);
  });

  it('drop late records, and acknowledge them', async () => {
    const [deleted, fresh] = [span(), span()];
    await tenant.store(deleted);
    await remove({ trace_ids: [deleted.trace_id] });
    const patch = { trace: { id: deleted.trace_id, metadata: { user: 'ann' } } };
    const body = ndjson([{ span: deleted }, { span: fresh }, patch]);
    expect((await tenant.ingest(body).expect(200)).body).toEqual({ accepted: 3, rejected: [], dropped: 2 });
    expect(await traceIds()).toEqual([fresh.trace_id]);
  });

  it('delete a session without keeping its name, and the session can continue', async () => {
    const of = (started_at: string, ended_at: string): SpanRecord =>
      span({ session_id: 'ann@example.com', started_at, ended_at });
    await tenant.store(of(startedAt(1), startedAt(2)), span());
    const { scope, counts } = await remove({ session_id: 'ann@example.com' });
    expect(counts).toMatchObject({ traces: 1 });
    expect(scope.session_id).toMatch(/^[0-9a-f]{64}$/);
    const late = await tenant.ingest(spansToNdjson([of(startedAt(3), startedAt(4))])).expect(200);
    expect(late.body).toMatchObject({ accepted: 1, dropped: 1 });
    const later = of('2027-01-01T00:00:00.000000Z', '2027-01-01T00:00:01.000000Z');
    await tenant.store(later);
    expect(
      (await tenant.get(`${API.traces.list.path}?session_id=ann%40example.com`)).body.items,
    ).toHaveLength(1);
  });

  it('are listed newest first, with who requested them', async () => {
    const first = await remove({ trace_ids: [newTraceId()] });
    const second = await remove({ before: startedAt(1) });
    const { body } = await tenant.get(`${API.deletions.list.path}?limit=1`).expect(200);
    expect(body.items).toEqual([second]);
    const { body: rest } = await tenant
      .get(`${API.deletions.list.path}?cursor=${body.next_cursor}`)
      .expect(200);
    expect(rest).toEqual({ items: [first] });
    const { body: keys } = await tenant.get(API.apiKeys.list.path);
    expect(first.api_key_id).toBe(keys.items[0].id);
    const { body: log } = await tenant.get(API.audit.list.path);
    expect(log.items[0]).toMatchObject({ action: 'deletion.create', object: second.id });
  });

  it.each([
    [{}, 'Pass what to delete'],
    [{ keep_copies: true }, 'Pass what to delete'],
    [{ trace_ids: [] }, 'trace_ids must hold one at least'],
    [{ trace_ids: ['x'] }, 'trace_ids[0] must be a UUID in lower case'],
    [{ session: 's' }, 'Unknown field "session"'],
    [{ session_id: ' ' }, 'session_id must not be blank'],
    [{ before: 'yesterday' }, 'before must be an ISO 8601 time'],
    [{ session_id: 's', keep_copies: 1 }, 'keep_copies must be true or false'],
  ])('refuse %j', async (body, detail) => {
    for (const path of [API.deletions.create.path, API.deletions.preview.path]) {
      const { body: answer } = await tenant.post(path, body).expect(400);
      expect(answer.detail).toContain(detail);
    }
  });

  it('delete all data of a deleted account', async () => {
    const stored = span();
    await tenant.store(stored);
    await tenant.post(API.datasets.create.path, { name: 'd' }).expect(201);
    await tenant.delete(API.accounts.delete.path).expect(204);
    await tenant.get(API.traces.list.path).expect(404);
    await idle();
    const { spans, meta } = await findStorage(service);
    expect(await spans.findTrace(tenant.accountId, stored.trace_id)).toBeUndefined();
    expect(await meta.datasets.list(tenant.accountId, { limit: 1 })).toEqual([]);
    expect(await meta.deletions.list(tenant.accountId, { limit: 1 })).toEqual([]);
  });
});

async function findStorage(service: Service): Promise<Storage> {
  const { STORAGE } = await import('../src/storage/storage.js');
  return service.app.get<Storage>(STORAGE);
}
