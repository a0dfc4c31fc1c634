import { newTraceId, type TraceDetail } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { span, startedAt } from './support/records.js';
import { openOracleStorage } from './oracle/oracle-storage.js';
import { Service, type Tenant } from './support/service.js';

describe.each([
  ['SQLite', undefined],
  ['the oracle', () => openOracleStorage()],
] as const)('a long trace on %s', (_, storage) => {
  let service: Service;
  let tenant: Tenant;

  beforeAll(async () => {
    service = await Service.start(storage && { storage });
    tenant = await service.addTenant();
  });

  afterAll(() => service.close());

  it('is read in pages that contain each span once, by start time', async () => {
    const trace_id = newTraceId();
    const spans = Array.from({ length: 25 }, (__, index) =>
      span({ trace_id, name: `s${index}`, started_at: startedAt(Math.floor(index / 3)) }),
    );
    await tenant.store(...spans);
    const path = routePath(API.traces.get, { id: trace_id });
    const names: string[] = [];
    let pages = 0;
    let cursor: string | undefined = '';
    for (; cursor !== undefined; pages++) {
      const query: string = cursor === '' ? '?limit=10' : `?limit=10&cursor=${cursor}`;
      const { body }: { body: TraceDetail } = await tenant.get(path + query).expect(200);
      expect(body).toMatchObject({ id: trace_id, span_count: 25 });
      names.push(...body.spans.map(({ name }) => name));
      cursor = body.next_cursor;
    }
    expect(pages).toBe(3);
    expect(names).toEqual(spans.map(({ name }) => name));
    const { body: whole } = await tenant.get(path).expect(200);
    expect(whole.spans).toHaveLength(25);
    expect(whole).not.toHaveProperty('next_cursor');
    await tenant.get(`${path}?limit=5001`).expect(400);
    await tenant.get(`${path}?cursor=none`).expect(400);
  });
});
