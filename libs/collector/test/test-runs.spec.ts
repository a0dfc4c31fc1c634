import { ROUTES, routePath, type SpanRecord } from '@dacapo/protocol';
import { NO_TOTALS } from '../src/storage/test-run-store.js';
import { span } from './support/records.js';
import { Service, type Tenant } from './support/service.js';

let service: Service;
let tenant: Tenant;
const answered = span({ span_data: { input: [{ q: 1 }], output: { a: 1, b: 2 } } });
const failed = span({ status: 'error', span_data: { input: [], error: { name: 'E', message: 'then' } } });
const silent = span({ span_data: { input: [] } });

beforeAll(async () => {
  service = await Service.start();
  tenant = await service.addTenant();
  await tenant.store(answered, failed, silent);
});

afterAll(() => service.close());

const createRun = async (name?: string): Promise<{ id: string }> =>
  (await tenant.post(ROUTES.testRuns, { trace_function_key: 'answer', name }).expect(201)).body;
const items = (id: string) => routePath(ROUTES.testRunItems, { id });
const reportOf = (item_no: number, source: SpanRecord, rest: object) => ({
  item_no,
  source_trace_id: source.trace_id,
  source_span_id: source.id,
  ...rest,
});

describe('a test run', () => {
  it('begins without items, at an address of the dashboard', async () => {
    const run = await createRun('new prompt');
    expect(run).toEqual({
      id: expect.any(String),
      trace_function_key: 'answer',
      name: 'new prompt',
      status: 'running',
      created_at: expect.any(String),
      heartbeat_at: expect.any(String),
      totals: NO_TOTALS,
      url: `${service.url}/test-runs/${run.id}`,
    });
    await service.anonymous
      .get(`/test-runs/${run.id}`)
      .expect(200)
      .expect('content-type', /text\/html/);
  });

  it('sets each new call beside its original and judges it', async () => {
    const { id } = await createRun();
    const error = { name: 'E', message: 'now' };
    const reports = [
      reportOf(0, answered, { result: { b: 2, a: 1 }, duration_ms: 5 }),
      reportOf(1, answered, { result: { a: 1 } }),
      reportOf(2, answered, { error, new_trace_id: failed.trace_id, new_span_id: failed.id }),
      reportOf(3, failed, { result: 'better' }),
      reportOf(4, failed, { error }),
      reportOf(5, silent, {}),
      reportOf(6, silent, { result: null }),
    ];
    await tenant.post(items(id), { items: reports }).expect(204);
    const { body } = await tenant.get(items(id)).expect(200);
    expect(body.items.map((item: { verdict: string }) => item.verdict)).toEqual([
      'same',
      'changed',
      'error',
      'changed',
      'error',
      'same',
      'changed',
    ]);
    expect(body.items[0]).toEqual({
      ...reports[0],
      verdict: 'same',
      input: [{ q: 1 }],
      original_output: { a: 1, b: 2 },
      original_duration_ms: 1500,
    });
    expect(body.items[3]).toMatchObject({ original_error: { name: 'E', message: 'then' }, result: 'better' });

    const { body: run } = await tenant.post(routePath(ROUTES.finishTestRun, { id })).expect(200);
    expect(run).toMatchObject({
      status: 'finished',
      finished_at: expect.any(String),
      totals: { items: 7, same: 2, changed: 3, error: 2 },
    });
  });

  it('takes an item without a recorded call when it says what is wrong', async () => {
    const { id } = await createRun();
    const lost = {
      item_no: 0,
      source_trace_id: answered.trace_id,
      error: { name: 'E', message: 'no such call' },
    };
    await tenant.post(items(id), { items: [lost] }).expect(204);
    const { body } = await tenant.get(items(id)).expect(200);
    expect(body.items).toEqual([{ ...lost, verdict: 'error' }]);
  });

  it('keeps how the calls inside differed', async () => {
    const { id } = await createRun();
    const divergences = [
      { kind: 'missing', path: ['tools', 'mail'], source_span_id: silent.id, recorded_arguments: '["ann"]' },
      { kind: 'unanswerable', path: ['tools'], new_span_id: silent.id, reason: 'cut' },
    ];
    const report = reportOf(0, answered, { divergences, divergence_count: 120 });
    await tenant.post(items(id), { items: [report] }).expect(204);
    const { body } = await tenant.get(items(id)).expect(200);
    expect(body.items[0]).toMatchObject({ divergences, divergence_count: 120 });
  });

  it('of 50 calls where 3 throw has 50 items, 3 with errors', async () => {
    const { id } = await createRun();
    const reports = Array.from({ length: 50 }, (_, index) =>
      reportOf(
        index,
        answered,
        index % 20 === 5 ? { error: { name: 'E', message: 'm' } } : { result: index },
      ),
    );
    await tenant.post(items(id), { items: reports.slice(0, 30) }).expect(204);
    await tenant.post(items(id), { items: reports.slice(20) }).expect(204);
    const { body: page } = await tenant.get(`${items(id)}?limit=200`).expect(200);
    expect(page.items).toHaveLength(50);
    const { body: run } = await tenant.get(routePath(ROUTES.testRun, { id })).expect(200);
    expect(run.totals).toEqual({ ...NO_TOTALS, items: 50, changed: 47, error: 3 });
  });

  it('takes no items after it is finished, and finishes twice as once', async () => {
    const { id } = await createRun();
    const { body: first } = await tenant.post(routePath(ROUTES.finishTestRun, { id })).expect(200);
    const { body: second } = await tenant.post(routePath(ROUTES.finishTestRun, { id })).expect(200);
    expect(second).toEqual(first);
    const { body } = await tenant.post(items(id), { items: [] }).expect(409);
    expect(body).toEqual({ detail: `Test run ${id} is finished`, status_code: 409 });
  });

  it('stores no item of a report that names a call it does not know', async () => {
    const { id } = await createRun();
    const unknown = span();
    const reports = [reportOf(0, answered, {}), reportOf(1, unknown, {})];
    const { body } = await tenant.post(items(id), { items: reports }).expect(404);
    expect(body.detail).toBe(`Span ${unknown.id} of trace ${unknown.trace_id} not found`);
    expect((await tenant.get(items(id))).body.items).toEqual([]);
  });

  it.each([
    [{ items: [{}] }, 'items[0].item_no must be a whole number'],
    [{ items: [1] }, 'items[0] must be an object, not 1'],
    [{}, 'items must be an array, not absent'],
    [{ items: [reportOf(0, answered, { error: { name: 'E' } })] }, 'items[0].error.message must be a string'],
    [
      { items: [reportOf(0, answered, { divergences: [{ kind: 'odd', path: [] }] })] },
      'divergences[0].kind must be',
    ],
    [
      { items: [reportOf(0, answered, { divergences: [{ kind: 'extra', path: ['x'.repeat(513)] }] })] },
      'divergences[0].path must hold keys of at most 512 characters',
    ],
    [
      { items: [reportOf(0, answered, { divergences: Array(101).fill({ kind: 'extra', path: ['k'] }) })] },
      'divergences must have at most 100 entries, not 101',
    ],
    [
      { items: [{ item_no: 0, source_trace_id: answered.trace_id }] },
      'items[0].source_span_id must be a string',
    ],
    [{ items: Array(1001).fill({}) }, 'items must have at most 1000 entries, not 1001'],
  ])('refuses a report that is none (%#)', async (report, detail) => {
    const { id } = await createRun();
    const { body } = await tenant.post(items(id), report).expect(400);
    expect(body).toEqual({ detail: expect.stringContaining(detail), status_code: 400 });
  });
});

describe('the list of test runs', () => {
  it('shows the newest first, of one key or of all', async () => {
    const other = await service.addTenant();
    for (const key of ['a', 'b', 'a'])
      await other.post(ROUTES.testRuns, { trace_function_key: key }).expect(201);
    const keys = async (query: string): Promise<string[]> =>
      (await other.get(`${ROUTES.testRuns}${query}`).expect(200)).body.items.map(
        (run: { trace_function_key: string }) => run.trace_function_key,
      );
    expect(await keys('')).toEqual(['a', 'b', 'a']);
    expect(await keys('?trace_function_key=b')).toEqual(['b']);
    expect(await keys('?limit=2')).toEqual(['a', 'b']);
  });

  it('gives runs the public address when there is one', async () => {
    const behindProxy = await Service.start({ publicUrl: 'https://dacapo.example.com/' });
    const someone = await behindProxy.addTenant();
    const { body } = await someone.post(ROUTES.testRuns, { trace_function_key: 'k' }).expect(201);
    expect(body.url).toBe(`https://dacapo.example.com/test-runs/${body.id}`);
    await behindProxy.close();
  });
});
