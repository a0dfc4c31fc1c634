import { type DatasetItem, newTraceId, type SpanRecord } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { DeletionRunner } from '../src/deletions/deletion-runner.js';
import { ndjson, span, startedAt } from './support/records.js';
import { Service, type Tenant } from './support/service.js';

let service: Service;
let tenant: Tenant;

beforeAll(async () => {
  service = await Service.start();
});

beforeEach(async () => {
  tenant = await service.addTenant();
  await tenant.post(API.datasets.create.path, { name: 'tickets', description: 'of June' }).expect(201);
});

afterAll(() => service.close());

const path = routePath(API.datasets.get, { name: 'tickets' });
const versionsPath = routePath(API.datasets.addVersion, { name: 'tickets' });
const itemsPath = (version: number | 'latest') =>
  routePath(API.datasets.listItems, { name: 'tickets', version: String(version) });
const add = async (body: object) => (await tenant.post(versionsPath, body).expect(200)).body;
const listItems = async (version: number | 'latest', query = ''): Promise<DatasetItem[]> =>
  (await tenant.get(`${itemsPath(version)}?${query}`).expect(200)).body.items;

describe('a dataset', () => {
  it('has a unique name, and is listed with its versions', async () => {
    const { body } = await tenant.get(path).expect(200);
    expect(body).toMatchObject({ name: 'tickets', description: 'of June', latest_version: 0, versions: [] });
    expect(await listItems('latest')).toEqual([]);
    await tenant.post(API.datasets.create.path, { name: 'tickets' }).expect(409);
    await add({ items: [{ input: [1] }], note: 'first' });
    const changed = (await tenant.get(path).expect(200)).body;
    expect(changed).toMatchObject({ latest_version: 1, versions: [{ version: 1, added: 1, note: 'first' }] });
    expect((await tenant.get(API.datasets.list.path)).body.items).toMatchObject([
      { name: 'tickets', item_count: 1 },
    ]);
  });

  it.each([
    ['no name', {}, 'name must be a string, not absent'],
    [
      'a name that is no part of an address',
      { name: 'a/b' },
      'name must be a letter or a digit, then up to 127 letters, digits, dots, dashes and underscores',
    ],
  ])('cannot be made with %s', async (_, body, detail) => {
    await tenant.post(API.datasets.create.path, body).expect(400, { detail, status_code: 400 });
  });
});

describe('items', () => {
  it('are accepted one by one: a bad one never harms its neighbours', async () => {
    const id = newTraceId();
    const items = [
      { id, input: ['q', 1], expected: null, metadata: { row: 1 }, source: { trace_id: id } },
      { input: 'q' },
      7,
      { id, input: [] },
      { id: '1', input: [] },
      { input: [], source: { span_id: 'x' } },
      { input: [2] },
    ];
    expect(await add({ items })).toEqual({
      version: 1,
      base: 0,
      item_count: 2,
      added: 2,
      removed: 0,
      unchanged: 0,
      created_at: expect.any(String),
      rejected: [
        { index: 1, detail: 'input must be an array, not "q"' },
        { index: 2, detail: 'item must be an object, not 7' },
        { index: 3, detail: `id is the id of an earlier item: ${id}` },
        { index: 4, detail: 'id must be a UUID in lower case' },
        { index: 5, detail: 'source.span_id must be 16 hex digits' },
      ],
    });
    expect(await listItems(1)).toEqual([items[0], { id: expect.any(String), input: [2] }]);
  });

  it('stay as they are in their version, and versions can be compared', async () => {
    await add({ items: [{ input: ['a'] }, { input: ['b'] }] });
    const [first] = await listItems(1);
    expect(await add({ items: [{ input: ['c'] }], remove: [first?.id] })).toMatchObject({
      version: 2,
      base: 1,
      added: 1,
      removed: 1,
    });
    const inputs = async (version: number | 'latest', query = '') =>
      (await listItems(version, query)).map(({ input }) => input[0]);
    expect(await inputs(1)).toEqual(['a', 'b']);
    expect(await inputs('latest')).toEqual(['b', 'c']);
    expect(await inputs(2, 'not_in=1')).toEqual(['c']);
    expect(await inputs(1, 'not_in=2')).toEqual(['a']);
    expect(await add({ base: 1 })).toMatchObject({ version: 3, base: 1, item_count: 2 });
    expect(await inputs('latest')).toEqual(['a', 'b']);
  });

  it('are listed page by page', async () => {
    await add({ items: [1, 2, 3].map((n) => ({ input: [n] })) });
    const { body } = await tenant.get(`${itemsPath(1)}?limit=2`).expect(200);
    expect(body.items).toHaveLength(2);
    const rest = await listItems(1, `limit=2&cursor=${body.next_cursor}`);
    expect(rest.map(({ input }) => input)).toEqual([[3]]);
  });

  it.each([
    [{ base: 1 }, 'base must be a version of dataset tickets, 0 to 0, not 1'],
    [{ items: {} }, 'items must be an array, not an object'],
    [{ remove: [1] }, 'remove[0] must be a string'],
    [{ from_calls: {} }, 'from_calls.trace_function_key must be a string, not absent'],
    [
      { from_calls: { trace_function_key: 'k', selection: { sinc: 1 } } },
      'Unknown field "from_calls.selection.sinc"',
    ],
    [
      { from_test_run: { id: newTraceId(), item_nos: ['1'] } },
      'from_test_run.item_nos[0] must be a whole number',
    ],
  ])('are refused as a whole with %j', async (body, detail) => {
    const { body: answer } = await tenant.post(versionsPath, body).expect(400);
    expect(answer.detail).toContain(detail);
  });

  it('are not found in an unknown dataset', async () => {
    await tenant.get(itemsPath(1)).expect(404);
    await tenant.post(versionsPath, { from_test_run: { id: newTraceId() } }).expect(404);
    await tenant.post(routePath(API.datasets.addVersion, { name: 'none' }), {}).expect(404);
    await tenant.delete(routePath(API.datasets.delete, { name: 'none' })).expect(404);
  });
});

describe('items copied from calls', () => {
  const calls = (): SpanRecord[] => [
    span({
      started_at: startedAt(1),
      span_data: {
        input: ['2026-01-31T00:00:00.000Z'],
        output: 'late',
        meta: {
          input: { types: { '/0': 'Date' } },
          output: { types: { '': 'URL' } },
          prompt: { redacted: [''] },
          class: 'Desk',
        },
      },
    }),
    span({
      started_at: startedAt(2),
      status: 'error',
      span_data: { input: ['bad'], error: { name: 'E', message: 'm' } },
    }),
  ];

  it('contain arguments, notes, expected value, metadata and their source', async () => {
    const [late, failed] = calls() as [SpanRecord, SpanRecord];
    const trace = { id: late.trace_id, metadata: { plan: 'pro' } };
    await tenant.ingest(ndjson([{ span: late }, { span: failed }, { trace }])).expect(200);
    const from_calls = { trace_function_key: 'answer', selection: { until: startedAt(9) } };
    expect(await add({ from_calls })).toMatchObject({ version: 1, added: 2, rejected: [] });
    const source = ({ trace_id, id }: SpanRecord) => ({
      trace_id,
      span_id: id,
      trace_function_key: 'answer',
    });
    expect(await listItems(1)).toEqual([
      { id: expect.any(String), input: ['bad'], source: source(failed) },
      {
        id: expect.any(String),
        input: ['2026-01-31T00:00:00.000Z'],
        meta: { input: { types: { '/0': 'Date' } }, class: 'Desk' },
        expected: 'late',
        expected_meta: { output: { types: { '': 'URL' } } },
        metadata: { plan: 'pro' },
        source: source(late),
      },
    ]);
  });

  it('expect nothing when a call failed or was cancelled', async () => {
    const broken = (status: SpanRecord['status']): SpanRecord =>
      span({ status, span_data: { input: [status], output: ['some'] } });
    await tenant.store(broken('error'), broken('cancelled'));
    await add({ from_calls: { trace_function_key: 'answer' } });
    const items = await listItems(1);
    expect(items).toHaveLength(2);
    for (const item of items) expect(item).not.toHaveProperty('expected');
  });

  it('are added once, and skipped calls are counted', async () => {
    await tenant.store(...calls(), span({ test_run_id: newTraceId() }));
    const from_calls = { trace_function_key: 'answer' };
    expect(await add({ from_calls })).toMatchObject({ added: 2, unchanged: 0, skipped: { no_recording: 1 } });
    expect(await add({ from_calls })).toMatchObject({ version: 1, added: 0, unchanged: 2 });
  });
});

it('adds nothing for an unknown key, and suggests a similar key', async () => {
  await tenant.store(span());
  const add = async (key: string) => {
    const body = { from_calls: { trace_function_key: key } };
    return (await tenant.post(versionsPath, body).expect(200)).body;
  };
  expect(await add('answr')).toMatchObject({
    version: 0,
    added: 0,
    unknown_key: true,
    similar_key: 'answer',
  });
  expect(await add('something else')).not.toHaveProperty('similar_key');
  expect(await add('answer')).not.toHaveProperty('unknown_key');
});

describe('an edit', () => {
  const EDITED = { id: newTraceId(), input: ['q'], expected: 'a' };

  it('of a version that is not the latest any more changes nothing, and names the cure', async () => {
    await add({ items: [EDITED] });
    await add({ if_latest: 1, items: [{ ...EDITED, expected: 'b' }] });
    const late = { base: 1, if_latest: 1, items: [{ ...EDITED, expected: 'c' }] };
    const { body } = await tenant.post(versionsPath, late).expect(409);
    expect(body.detail).toBe(
      'Dataset tickets is at version 2, not 1: it was changed since. Load that version, then repeat your change.',
    );
    expect(await listItems('latest')).toEqual([{ ...EDITED, expected: 'b' }]);
    expect(await add({ if_latest: 2, items: [{ ...EDITED, expected: 'c' }] })).toMatchObject({ version: 3 });
  });

  it('of two at once is made by one', async () => {
    await add({ items: [EDITED] });
    const edits = ['b', 'c', 'd'].map((expected) =>
      tenant.post(versionsPath, { if_latest: 1, items: [{ ...EDITED, expected }] }),
    );
    const statuses = (await Promise.all(edits)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409, 409]);
    expect((await tenant.get(path).expect(200)).body.latest_version).toBe(2);
  });

  it('keeps the notes and the source that come with the item, so its call is not added again', async () => {
    const call = span({
      span_data: {
        input: ['2026-01-31T00:00:00.000Z'],
        output: 'x',
        meta: { input: { types: { '/0': 'Date' } } },
      },
    });
    await tenant.store(call);
    const from_calls = { trace_function_key: 'answer' };
    await add({ from_calls });
    const [item] = await listItems(1);
    await add({ if_latest: 1, items: [{ ...item, expected: 'y' }] });
    expect(await listItems(2)).toEqual([{ ...item, expected: 'y' }]);
    expect(await add({ from_calls })).toMatchObject({ version: 2, unchanged: 1 });
  });
});

describe('items copied from another dataset', () => {
  const copyInto = async (name: string, from: object) => {
    await tenant.post(API.datasets.create.path, { name });
    const to = routePath(API.datasets.addVersion, { name });
    const { body } = await tenant.post(to, { from_dataset: { name: 'tickets', ...from } }).expect(200);
    const items = routePath(API.datasets.listItems, { name, version: 'latest' });
    const read = (await tenant.get(`${items}?limit=200`).expect(200)).body.items as DatasetItem[];
    return { answer: body, inputs: read.map(({ input }) => input[0]), items: read };
  };
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

  it('are on one of two sides, the same each time, whatever is added later', async () => {
    await add({ items: numbers(100).map((n) => ({ input: [n] })) });
    const part = { percent: 80 };
    const train = await copyInto('train', { part });
    const test = await copyInto('test', { part: { ...part, is_rest: true } });
    expect([...train.inputs, ...test.inputs].sort((a, b) => Number(a) - Number(b))).toEqual(numbers(100));
    expect(train.inputs.length).toBeGreaterThan(65);
    expect(train.inputs.length).toBeLessThan(95);

    await add({ items: numbers(20).map((n) => ({ input: [100 + n] })) });
    const again = await copyInto('train', { part });
    expect(again.answer).toMatchObject({ unchanged: train.inputs.length });
    expect(again.inputs).toEqual(expect.arrayContaining(train.inputs));
    expect(again.inputs.filter((input) => test.inputs.includes(input))).toEqual([]);
  });

  it('are those that are named, or all others, with new ids and all that they hold', async () => {
    const notes = { meta: { input: { types: { '/0': 'Date' } } }, metadata: { row: 1 } };
    await add({ items: [{ input: ['a'], ...notes }, { input: ['b'] }, { input: ['c'] }] });
    const [first] = await listItems(1);
    const ids = [first?.id];
    const named = await copyInto('named', { ids });
    expect(named.items).toEqual([{ id: expect.any(String), input: ['a'], ...notes }]);
    expect(named.items[0]?.id).not.toBe(first?.id);
    expect((await copyInto('others', { except_ids: ids })).inputs).toEqual(['b', 'c']);
    await add({ remove: ids });
    expect((await copyInto('older', { version: 1 })).inputs).toEqual(['a', 'b', 'c']);
  });

  it('are erased with the call that they are copies of, and an erased item is not copied', async () => {
    const call = span({ span_data: { input: ['a secret'], output: 'x' } });
    await tenant.store(call);
    await add({ from_calls: { trace_function_key: 'answer' }, items: [{ input: ['mine'] }] });
    expect((await copyInto('copies', {})).inputs).toHaveLength(2);
    await tenant.post(API.deletions.create.path, { trace_ids: [call.trace_id] }).expect(201);
    await service.app.get(DeletionRunner).idle();
    const items = routePath(API.datasets.listItems, { name: 'copies', version: 'latest' });
    const { body } = await tenant.get(items).expect(200);
    expect(JSON.stringify(body)).not.toContain('a secret');
    expect(body.items.filter(({ erased }: DatasetItem) => erased)).toHaveLength(1);
    const late = await copyInto('late', {});
    expect(late.inputs).toEqual(['mine']);
    expect(late.answer.skipped).toEqual({ erased: 1 });
  });

  it('are refused when there is no such dataset or version, or it is of another account', async () => {
    const refuse = (from_dataset: object, status: number, by = tenant) =>
      by.post(versionsPath, { from_dataset }).expect(status);
    await refuse({ name: 'none' }, 404);
    await refuse({ name: 'tickets', version: 7 }, 404);
    await refuse({ name: 'tickets', part: { percent: 0 } }, 400);
    const other = await service.addTenant();
    await other.post(API.datasets.create.path, { name: 'secret' }).expect(201);
    await refuse({ name: 'secret' }, 404);
  });
});

describe('items copied from a test run', () => {
  it('expect the baseline, or the outcome that a person accepted', async () => {
    const [first, second] = [1, 2].map((n) => span({ span_data: { input: [n], output: `old ${n}` } }));
    await tenant.store(first!, second!);
    const { body: run } = await tenant
      .post(API.testRuns.create.path, { trace_function_key: 'answer' })
      .expect(201);
    const report = (item_no: number, replayed: SpanRecord, rest: object) => ({
      item_no,
      source_trace_id: replayed.trace_id,
      source_span_id: replayed.id,
      ...rest,
    });
    const items = [
      report(0, first!, { result: 'new 1', verdict: 'changed' }),
      report(1, second!, { result: 'new 2', verdict: 'changed' }),
      report(2, second!, { result: 'old 2', verdict: 'same' }),
      { item_no: 3, verdict: 'changed', result: 'no input' },
    ];
    await tenant.post(routePath(API.testRuns.report, { id: run.id }), { items }).expect(200);
    await tenant.post(routePath(API.testRuns.accept, { id: run.id, item_no: '1' }), {}).expect(200);
    const answer = await add({ from_test_run: { id: run.id, verdict: 'changed' } });
    expect(answer).toMatchObject({ added: 2, skipped: { no_input: 1 } });
    const source = { test_run_id: run.id, trace_function_key: 'answer' };
    expect(await listItems(1)).toMatchObject([
      { input: [1], expected: 'old 1', source: { ...source, item_no: 0, span_id: first!.id } },
      { input: [2], expected: 'new 2', source: { ...source, item_no: 1, span_id: second!.id } },
    ]);
    const again = { from_test_run: { id: run.id, item_nos: [0] } };
    expect(await add(again)).toMatchObject({ version: 1, unchanged: 1 });
  });
});

describe('items copied from a test run whose calls did not end', () => {
  it.each(['cancelled', 'unfinished'] as const)('expect nothing: %s', async (status) => {
    const stored = span({ status, span_data: { input: [status], output: ['part'] } });
    await tenant.store(stored);
    const { body: run } = await tenant
      .post(API.testRuns.create.path, { trace_function_key: 'answer' })
      .expect(201);
    const source = { source_trace_id: stored.trace_id, source_span_id: stored.id };
    const items = [{ item_no: 0, ...source, result: ['part', 'rest'], verdict: 'unknown' }];
    await tenant.post(routePath(API.testRuns.report, { id: run.id }), { items }).expect(200);
    const { body: item } = await tenant
      .get(routePath(API.testRuns.getItem, { id: run.id, item_no: '0' }))
      .expect(200);
    expect(item).toMatchObject({ original_output: ['part'], original_status: status });
    await add({ from_test_run: { id: run.id } });
    const [copy] = await listItems(1);
    expect(copy).toMatchObject({ input: [status] });
    expect(copy).not.toHaveProperty('expected');
  });
});

describe('a run over a dataset', () => {
  it('replays the items of its version, even if the dataset changes later', async () => {
    const stored = span();
    await tenant.store(stored);
    await add({ items: [{ input: ['mine'], expected: 'x' }] });
    await add({ from_calls: { trace_function_key: 'answer' } });
    const create = { trace_function_key: 'answer', dataset: { name: 'tickets' } };
    const { body: run } = await tenant.post(API.testRuns.create.path, create).expect(201);
    expect(run.dataset).toEqual({ name: 'tickets', version: 2, items: 2 });
    await add({ items: [{ input: ['later'] }] });
    const calls = routePath(API.testRuns.listCalls, { id: run.id });
    const { body } = await tenant.get(`${calls}?descendants=true`).expect(200);
    expect(body.items).toMatchObject([
      { item_no: 0, dataset_item: { input: ['mine'], expected: 'x' } },
      {
        item_no: 1,
        trace_id: stored.trace_id,
        call: { span_id: stored.id, descendants: [] },
        dataset_item: { input: ['question'], expected: 'answer' },
      },
    ]);
    expect(body.items[0]).not.toHaveProperty('trace_id');
    expect(body.items[0]).not.toHaveProperty('call');
    const report = { items: [{ item_no: 0, verdict: 'changed', result: 'y' }] };
    await tenant.post(routePath(API.testRuns.report, { id: run.id }), report).expect(200);
    const left = (await tenant.get(`${calls}?left=true`).expect(200)).body.items;
    expect(left.map(({ item_no }: { item_no: number }) => item_no)).toEqual([1]);
    await tenant.delete(path).expect(204);
    const after = (await tenant.get(calls).expect(200)).body.items;
    // The call that an example was made of is another example than that.
    expect(after).toEqual([{ item_no: 0 }, { item_no: 1, trace_id: stored.trace_id }]);
  });

  it('can replay an older version, and expects the outcomes accepted for its items', async () => {
    await add({ items: [{ input: ['one'] }] });
    await add({ items: [{ input: ['two'] }] });
    const create = (rest: object) =>
      tenant.post(API.testRuns.create.path, { trace_function_key: 'k', ...rest }).expect(201);
    const { body: run } = await create({ dataset: { name: 'tickets', version: 1 } });
    expect(run.dataset).toEqual({ name: 'tickets', version: 1, items: 1 });
    const report = { items: [{ item_no: 0, verdict: 'changed', result: 'good' }] };
    await tenant.post(routePath(API.testRuns.report, { id: run.id }), report).expect(200);
    await tenant.post(routePath(API.testRuns.accept, { id: run.id, item_no: '0' }), {}).expect(200);
    const { body: later } = await create({ dataset: { name: 'tickets' }, baseline: 'accepted' });
    const { body } = await tenant.get(routePath(API.testRuns.listCalls, { id: later.id })).expect(200);
    expect(body.items[0].baseline).toEqual({ output: 'good', accepted: true });
    expect(body.items[1]).not.toHaveProperty('baseline');
    const { body: third } = await create({
      dataset: { name: 'tickets' },
      baseline: { test_run_id: run.id },
    });
    const compared = (await tenant.get(routePath(API.testRuns.listCalls, { id: third.id }))).body.items;
    expect(compared[0].baseline).toEqual({ output: 'good' });
    expect(compared[1]).not.toHaveProperty('baseline');
  });

  it('is rejected together with a selection, and for an unknown dataset', async () => {
    const body = { trace_function_key: 'k', dataset: { name: 'tickets' } };
    const detail = 'dataset cannot be combined with selection: pass one of them';
    await tenant
      .post(API.testRuns.create.path, { ...body, selection: {} })
      .expect(400, { detail, status_code: 400 });
    await tenant.post(API.testRuns.create.path, { ...body, dataset: { name: 'none' } }).expect(404);
    await tenant
      .post(API.testRuns.create.path, { ...body, dataset: { name: 'tickets', version: 1 } })
      .expect(404);
  });
});
