import { type RunComparison, type RunGrid, type SpanRecord } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { span } from './support/records.js';
import { Service, type Tenant } from './support/service.js';

let service: Service;
let tenant: Tenant;
const calls = Array.from({ length: 6 }, (_, at): SpanRecord =>
  span({ duration_ms: 100, span_data: { input: [`question ${at}`], output: at } }),
);

beforeAll(async () => {
  service = await Service.start();
  tenant = await service.addTenant();
  await tenant.store(...calls);
});

afterAll(() => service.close());

const playing = (call: number, item_no: number, rest: object) => ({
  item_no,
  source_trace_id: calls[call]?.trace_id,
  source_span_id: calls[call]?.id,
  ...rest,
});
// Compared by a rule of the reporter's own: the service does not compare what is stored.
const same = { verdict: 'same', compared_by: { same: true } };
const changed = { verdict: 'changed', result: 'new' };
const failed = { verdict: 'error', error: { name: 'E', message: 'now' } };

const addRun = async (items: object[], rest: object = {}): Promise<string> => {
  const { body } = await tenant
    .post(API.testRuns.create.path, { trace_function_key: 'answer', ...rest })
    .expect(201);
  const answer = await tenant.post(routePath(API.testRuns.report, { id: body.id }), { items }).expect(200);
  expect(answer.body.rejected).toEqual([]);
  return body.id;
};
const compare = async (id: string, other: string, query = ''): Promise<RunComparison> =>
  (await tenant.get(`${routePath(API.testRuns.compare, { id })}?with=${other}${query}`).expect(200)).body;
const relations = ({ items }: RunComparison) => items.map(({ relation }) => relation);
const NONE = {
  improved: 0,
  regressed: 0,
  same_outcome: 0,
  judged_otherwise: 0,
  other_outcome: 0,
  unknown: 0,
  only_here: 0,
  only_there: 0,
};

describe('one run compared with another', () => {
  it('reports for each call in both runs whether it is better or worse, and the calls in one run only', async () => {
    const here = await addRun([
      playing(0, 0, same),
      playing(1, 1, changed),
      playing(2, 2, failed),
      playing(3, 3, same),
      playing(4, 4, { verdict: 'unknown' }),
    ]);
    // In another order: what an item played tells it, not where it stands.
    const there = await addRun([
      playing(5, 0, same),
      playing(4, 1, same),
      playing(2, 2, failed),
      playing(1, 3, same),
      playing(0, 4, changed),
    ]);
    const found = await compare(here, there);
    expect(found.totals).toEqual({
      improved: 1,
      regressed: 1,
      same_outcome: 1,
      judged_otherwise: 1,
      other_outcome: 0,
      unknown: 0,
      only_here: 1,
      only_there: 1,
    });
    expect(relations(found)).toEqual([
      'improved',
      'regressed',
      'same_outcome',
      'only_here',
      'judged_otherwise',
      'only_there',
    ]);
    expect(found.items[0]).toMatchObject({
      here: { item_no: 0, verdict: 'same' },
      there: { item_no: 4, verdict: 'changed' },
    });
    expect([found.here.id, found.there.id]).toEqual([here, there]);
    expect(relations(await compare(here, there, '&relation=regressed'))).toEqual(['regressed']);
    expect((await compare(there, here)).totals).toEqual({ ...found.totals });
  });

  it('finds no difference where both have the same outcome, even if another baseline accepted it', async () => {
    const output = { result: 'new' };
    const [here, there] = [
      await addRun([playing(0, 0, { ...output, verdict: 'changed' })]),
      await addRun([playing(0, 0, { ...output, verdict: 'same', accepted: true })], { baseline: 'accepted' }),
    ];
    const expected = { ...NONE, judged_otherwise: 1 };
    expect((await compare(here, there)).totals).toEqual(expected);
    expect((await compare(there, here)).totals).toEqual(expected);
  });

  it('returns the same for finished runs each time, and the current state of a running one', async () => {
    const [here, there] = [await addRun([playing(0, 0, changed)]), await addRun([playing(0, 0, changed)])];
    const finish = (id: string) =>
      tenant.post(routePath(API.testRuns.finish, { id }), { status: 'finished' }).expect(200);
    await finish(there);
    expect(relations(await compare(here, there))).toEqual(['same_outcome']);
    const items = [playing(0, 0, { ...changed, result: 'newer' })];
    await tenant.post(routePath(API.testRuns.report, { id: here }), { items }).expect(200);
    expect(relations(await compare(here, there))).toEqual(['other_outcome']);
    await finish(here);
    expect(relations(await compare(here, there))).toEqual(['other_outcome']);
    expect(relations(await compare(here, there))).toEqual(['other_outcome']);
  });

  it('reports where the candidates of both ran, as far as their traces show', async () => {
    const [here, there] = [await addRun([playing(0, 0, same)]), await addRun([playing(0, 0, same)])];
    const made = { test_run_id: here };
    await tenant.store(
      span({ ...made, environment: 'ci', release: '2', user_id: 'ann' }),
      span({ ...made, environment: 'ci', release: '1', tags: ['vip'] }),
    );
    const { candidates } = await compare(here, there);
    expect(candidates).toEqual({
      here: { user_id: ['ann'], tags: ['vip'], environment: ['ci'], release: ['1', '2'] },
      there: { user_id: [], tags: [], environment: [], release: [] },
    });
    expect(await compare(here, there, '&relation=unknown&limit=1')).toHaveProperty('candidates');
  });

  it('has no difference when compared with itself', async () => {
    const run = await addRun([
      playing(0, 0, { ...same, duration_ms: 5, usage: { input_tokens: 3 } }),
      playing(1, 1, { ...changed, duration_ms: 9, scores: [{ name: 'good', value: false }] }),
    ]);
    const { totals, figures } = await compare(run, run);
    expect(totals).toEqual({ ...NONE, same_outcome: 2 });
    expect(figures?.duration_ms).toEqual({ here: { n: 2, mean: 7 }, there: { n: 2, mean: 7 } });
    expect(figures?.tokens).toMatchObject({ here: { n: 1, mean: 3 }, delta: { mean: 0, n: 1 } });
    expect(figures?.scores['good']).toMatchObject({
      here: { n: 1, mean: 0 },
      delta: { mean: 0, p: 1, n: 1 },
    });
    expect(figures?.same).toMatchObject({ here: { n: 2, mean: 0.5 }, delta: { mean: 0, p: 1 } });
    expect(figures?.cost_usd).toEqual({});
  });

  it('has the figures of both, and of their difference over the common items', async () => {
    const makeReplays = (ms: number, good: boolean) =>
      [0, 1, 2, 3, 4, 5].map((call) =>
        playing(call, call, {
          ...same,
          duration_ms: ms + call,
          usage: { input_tokens: ms, output_tokens: 1, cost_usd: ms / 100 },
          scores: [
            { name: 'good', value: good },
            { name: 'kind', value: 'poem' },
          ],
        }),
      );
    const [fast, slow] = [
      await addRun(makeReplays(10, true)),
      await addRun(makeReplays(30, false).slice(0, 5)),
    ];
    const { figures } = await compare(fast, slow);
    expect(figures?.duration_ms.here).toEqual({ n: 6, mean: 12.5 });
    expect(figures?.duration_ms.there).toEqual({ n: 5, mean: 32 });
    // Two runs do not run side by side.
    expect(figures?.duration_ms).not.toHaveProperty('delta');
    expect(figures?.tokens.delta).toMatchObject({ mean: -20, n: 5 });
    expect(figures?.cost_usd.delta?.mean).toBeCloseTo(-0.2);
    // Five pairs that all go one way: McNemar's exact test says 2 · 2⁻⁵.
    expect(figures?.scores['good']?.delta).toMatchObject({ mean: 1, p: 0.0625, n: 5 });
    expect(figures?.scores['kind']).toEqual({});
  });

  it('pairs each repetition, and averages them in the figures', async () => {
    const twice = (...ms: number[]) =>
      ms.map((duration_ms, repetition) => playing(0, 0, { ...same, repetition, duration_ms }));
    const [here, there] = [
      await addRun(twice(10, 20), { repeat: 2 }),
      await addRun(twice(30, 50, 70), { repeat: 3 }),
    ];
    const { totals, figures } = await compare(here, there);
    expect(totals).toEqual({ ...NONE, same_outcome: 2, only_there: 1 });
    expect(figures?.duration_ms).toEqual({ here: { n: 1, mean: 15 }, there: { n: 1, mean: 50 } });
  });

  it('pairs dataset items by id in any version', async () => {
    await tenant.post(API.datasets.create.path, { name: 'questions' }).expect(201);
    const add = (items: object[]) =>
      tenant.post(routePath(API.datasets.addVersion, { name: 'questions' }), { items }).expect(200);
    await add([{ input: ['a'] }, { input: ['b'] }]);
    const before = await addRun(
      [
        { item_no: 0, ...changed },
        { item_no: 1, ...changed },
      ],
      { dataset: { name: 'questions' } },
    );
    await add([{ input: ['c'] }]);
    const now = await addRun(
      [
        { item_no: 0, ...changed },
        { item_no: 1, ...same },
        { item_no: 2, ...same },
      ],
      { dataset: { name: 'questions' } },
    );
    expect((await compare(now, before)).totals).toEqual({
      ...NONE,
      same_outcome: 1,
      improved: 1,
      only_here: 1,
    });
  });

  it('pairs list items by number and input', async () => {
    const listed = (...inputs: string[]) =>
      inputs.map((input, item_no) => ({ item_no, input: [input], result: 1, ...same }));
    const [here, there] = [await addRun(listed('a', 'b')), await addRun(listed('a', 'x', 'b'))];
    expect((await compare(here, there)).totals).toEqual({
      ...NONE,
      same_outcome: 1,
      only_here: 1,
      only_there: 2,
    });
  });

  it('is read page by page, with the figures on the first', async () => {
    const here = await addRun([0, 1, 2, 3].map((call) => playing(call, call, same)));
    const there = await addRun([2, 3, 4, 5].map((call, no) => playing(call, no, same)));
    const [whole, seen] = [await compare(here, there), [] as object[]];
    let cursor: string | undefined;
    do {
      const page: RunComparison = await compare(here, there, `&limit=2${cursor ? `&cursor=${cursor}` : ''}`);
      expect(page.figures === undefined).toBe(cursor !== undefined);
      expect(page.totals).toEqual(whole.totals);
      seen.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(whole.items);
    expect(seen).toHaveLength(6);
  });

  it('needs two runs of the account', async () => {
    const run = await addRun([]);
    const path = routePath(API.testRuns.compare, { id: run });
    await tenant.get(path).expect(400);
    await tenant.get(`${path}?with=${run}&relation=better`).expect(400);
    const stranger = await service.addTenant();
    const { body } = await stranger.post(API.testRuns.create.path, { trace_function_key: 'answer' });
    await tenant.get(`${path}?with=${body.id}`).expect(404);
    await stranger.get(`${path}?with=${body.id}`).expect(404);
    expect((await compare(run, run)).totals).toEqual(NONE);
  });
});

describe('several runs compared', () => {
  const compareAll = async (ids: string[], query = ''): Promise<RunGrid> =>
    (
      await tenant
        .get(`${API.testRuns.compareAll.path}?${ids.map((id) => `ids=${id}`).join('&')}${query}`)
        .expect(200)
    ).body;
  const show = ({ items }: RunGrid) =>
    items.map(({ agreement, cells }) => [agreement, ...cells.map(({ item }) => item?.item_no)]);
  const told = (call: number, item_no: number, result: unknown, verdict = 'changed') =>
    playing(call, item_no, { verdict, ...(result !== undefined && { result }) });

  it('list each call once, disagreements first', async () => {
    const cut = { meta: { output: { truncated: { '': { bytes: 9, kept: 4 } } } } };
    const ids = [
      await addRun([told(0, 0, 'a'), told(1, 1, 'b'), told(2, 2, 'c'), { ...told(3, 3, 'head'), ...cut }]),
      await addRun([told(1, 0, 'b'), told(2, 1, 'c'), { ...told(3, 2, 'head'), ...cut }]),
      await addRun([
        told(4, 0, 'e'),
        told(2, 1, 'c'),
        told(1, 2, 'other'),
        { ...told(3, 3, 'head'), ...cut },
      ]),
    ];
    const grid = await compareAll(ids);
    expect(grid.runs.map(({ id }) => id)).toEqual(ids);
    expect(grid.totals).toEqual({ different: 3, unknown: 1, same: 1 });
    expect(show(grid)).toEqual([
      ['different', 0, undefined, undefined],
      ['different', 1, 0, 2],
      ['different', undefined, undefined, 0],
      ['unknown', 3, 2, 3],
      ['same', 2, 1, 1],
    ]);
    expect(show(await compareAll(ids, '&agreement=unknown'))).toEqual([['unknown', 3, 2, 3]]);
    const first = await compareAll(ids, '&limit=3');
    const rest = await compareAll(ids, `&limit=3&cursor=${first.next_cursor}`);
    expect([...first.items, ...rest.items]).toEqual(grid.items);
    expect(rest.next_cursor).toBeUndefined();
  });

  it('disagree when verdicts differ, although the outcomes are equal', async () => {
    const ids = [
      await addRun([told(0, 0, 'a')]),
      await addRun([{ ...told(0, 0, 'a', 'same'), compared_by: { same: true } }]),
    ];
    expect((await compareAll(ids)).totals).toEqual({ different: 1, unknown: 0, same: 0 });
    expect((await compareAll([ids[0] ?? '', ids[0] ?? ''])).runs).toHaveLength(1);
  });

  it('are refused when one is not of the account, or they are too many', async () => {
    const mine = await addRun([told(0, 0, 'a')]);
    const stranger = await service.addTenant();
    await stranger.get(`${API.testRuns.compareAll.path}?ids=${mine}`).expect(404);
    const many = Array.from({ length: 21 }, (_, at) => `ids=${at}`).join('&');
    await tenant.get(`${API.testRuns.compareAll.path}?${many}`).expect(400);
    await tenant.get(API.testRuns.compareAll.path).expect(400);
  });
});
