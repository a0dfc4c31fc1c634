import {
  type DecideRequest,
  type DecisionRecord,
  type JsonValue,
  newTraceId,
  type SpanRecord,
  type TestRunItemReport,
} from '@dacapo/protocol';
import { API, type Route, routePath } from '@dacapo/protocol/api';
import { DeletionRunner } from '../src/deletions/deletion-runner.js';
import { span } from './support/records.js';
import { Service, type Tenant } from './support/service.js';

let service: Service;
let tenant: Tenant;

beforeAll(async () => {
  service = await Service.start();
});

beforeEach(async () => {
  tenant = await service.addTenant();
});

afterAll(() => service.close());

interface Outcome extends Partial<TestRunItemReport> {
  before: JsonValue;
  now?: JsonValue;
}

const OTHER_VERSION: Outcome = { before: { id: 1, version: 'a' }, now: { id: 1, version: 'b' } };
const OTHER_TOPIC: Outcome = { before: { topic: 'x', version: 'a' }, now: { topic: 'y', version: 'b' } };
const SAME: Outcome = { before: 1, now: 1, verdict: 'same' };
const NEW_ERROR: Outcome = {
  before: { id: 1 },
  verdict: 'error',
  new_error: true,
  error: { name: 'Error', message: 'broke' },
};
const UNCALLED: Outcome = { ...NEW_ERROR, error_of: 'play' };

const path = (id: string, route: Route = API.decisions.list) => routePath(route, { id });
const ref = ({ trace_id, id }: SpanRecord) => ({ trace_id, span_id: id });

/** The report of one replayed call. Both calls are stored. */
async function replay(run: string, item_no: number, { before, now, ...rest }: Outcome) {
  const [recorded, replayed] = [
    span({ span_data: { input: [item_no], output: before } }),
    span({
      test_run_id: run,
      ...(rest.error ? { status: 'error' } : {}),
      span_data: {
        input: [item_no],
        ...(rest.error && { error: rest.error }),
        ...(now !== undefined && { output: now }),
      },
    }),
  ];
  await tenant.store(recorded, replayed);
  return {
    sources: ref(recorded),
    replayed,
    report: {
      item_no,
      source_trace_id: recorded.trace_id,
      source_span_id: recorded.id,
      ...(rest.error_of !== 'play' && {
        new_trace_id: replayed.trace_id,
        new_span_id: replayed.id,
        duration_ms: 5,
      }),
      verdict: 'changed',
      ...(now !== undefined && { result: now }),
      ...rest,
    },
  };
}

/** Stores a run of these outcomes, without finishing it. */
async function startRun(outcomes: readonly Outcome[], rest: object = {}) {
  const { body } = await tenant
    .post(API.testRuns.create.path, { trace_function_key: 'answer', ...rest })
    .expect(201);
  const id = body.id as string;
  const items = [];
  for (const [index, outcome] of outcomes.entries()) items.push(await replay(id, index, outcome));
  const reports = items.map(({ report }) => report);
  const answer = await tenant.post(path(id, API.testRuns.report), { items: reports });
  expect(answer.body).toEqual({ accepted: outcomes.length, rejected: [] });
  return { id, items };
}

const check = (name: string, passed: boolean) => ({
  name,
  limit: 'a limit',
  measured: 'measured',
  passed,
  failures: passed ? [] : [`${name} failed.`],
});

const summarize = (gate: object, failed: readonly string[], more: object = {}) => ({
  passed: failed.length === 0,
  gate,
  checks: ['minItems', 'complete', ...('errors' in gate ? [] : ['newErrors']), ...Object.keys(gate)]
    .filter((name) => name !== 'scores')
    .map((name) => check(name, !failed.includes(name))),
  ...more,
});

/** A finished run of these outcomes. Its gate allows no change, so it failed. */
async function finishRun(
  outcomes: readonly Outcome[],
  summary: object = summarize({ changed: 0 }, ['changed']),
): Promise<string> {
  const { id } = await startRun(outcomes);
  await finish(id, summary, outcomes.length);
  return id;
}

const finish = (id: string, summary: object, expected_items: number) =>
  tenant.post(path(id, API.testRuns.finish), { summary, expected_items }).expect(200);

type Change = Omit<DecideRequest, 'after'> & { after?: number };
const send = (id: string, { after = 0, ...change }: Change, by: Pick<Tenant, 'post'> = tenant) =>
  by.post(path(id), { after, ...change });
const decide = async (id: string, change: Change): Promise<DecisionRecord> =>
  (await send(id, change).expect(201)).body.decision;
const judge = (judgement: 'accepted' | 'better' | 'worse' | 'none', ...items: number[]): Change => ({
  judgements: items.map((item_no) => ({ item_no, judgement })),
});
const readRun = async (id: string) => (await tenant.get(path(id, API.testRuns.get)).expect(200)).body;
const readItems = async (id: string) =>
  (await tenant.get(path(id, API.testRuns.report)).expect(200)).body.items;
const refuse = async (id: string, change: Change, status = 409): Promise<string> =>
  (await send(id, change).expect(status)).body.detail;

describe('a decision', () => {
  it('passes a run whose changes are accepted, beside the decision of the client, and later runs expect them', async () => {
    const { id, items } = await startRun([OTHER_TOPIC, SAME], { selection: {} });
    const summary = summarize({ changed: 0 }, ['changed']);
    await finish(id, summary, 2);
    const author = { kind: 'person' as const, name: 'ann' };
    const decision = await decide(id, { ...judge('accepted', 0), author, note: 'as agreed' });
    expect(decision).toMatchObject({
      no: 1,
      passed: true,
      author,
      note: 'as agreed',
      decided_at: expect.stringMatching(/Z$/),
      totals: { items: 2, same: 2, changed: 0, accepted: 1 },
      ignore: [],
      change: { accepted: 1, better: 0, worse: 0, cleared: 0, ignored: [], compared: [] },
    });
    expect(await readRun(id)).toMatchObject({
      passed: true,
      decision: { no: 1, passed: true, author },
      summary,
      totals: { same: 1, changed: 1 },
    });
    expect(await readItems(id)).toMatchObject([{ verdict: 'changed', judgement: 'accepted' }, {}]);
    expect((await tenant.get(path(id)).expect(200)).body).toEqual({ items: [decision] });
    const later = await tenant.post(API.testRuns.create.path, {
      trace_function_key: 'answer',
      selection: { trace_ids: [items[0]?.sources.trace_id] },
      baseline: 'accepted',
    });
    const { body } = await tenant.get(path(later.body.id, API.testRuns.listCalls));
    expect(body.items[0].baseline).toEqual({ output: OTHER_TOPIC.now, accepted: true });
  });

  it('counts worse items as changed, and clears judgements', async () => {
    const id = await finishRun([SAME, SAME], summarize({ changed: 0 }, []));
    expect((await readRun(id)).passed).toBe(true);
    expect(await decide(id, judge('worse', 1))).toMatchObject({
      passed: false,
      totals: { same: 1, changed: 1 },
      checks: expect.arrayContaining([
        expect.objectContaining({ name: 'changed', passed: false, measured: '1' }),
      ]),
    });
    expect((await readRun(id)).passed).toBe(false);
    expect(await decide(id, { after: 1, ...judge('none', 1) })).toMatchObject({
      passed: true,
      change: { cleared: 1 },
    });
    expect((await readItems(id))[1]).not.toHaveProperty('judgement');
  });

  it('labels better and worse items with a score of its author', async () => {
    const id = await finishRun([OTHER_TOPIC, OTHER_TOPIC]);
    await decide(id, {
      judgements: [
        { item_no: 0, judgement: 'better' },
        { item_no: 1, judgement: 'worse' },
      ],
    });
    const list = async () =>
      (await tenant.get(`${API.scores.list.path}?test_run_id=${id}`)).body.items.map(
        ({ item_no, name, value }: { item_no: number; name: string; value: unknown }) => [
          item_no,
          name,
          value,
        ],
      );
    expect((await list()).sort()).toEqual([
      [0, 'better', true],
      [1, 'better', false],
    ]);
    await decide(id, { after: 1, ...judge('accepted', 0) });
    expect(await list()).toContainEqual([0, 'better', null]);
  });

  it('of two at once is stored once', async () => {
    const id = await finishRun([OTHER_TOPIC, OTHER_TOPIC]);
    const answers = await Promise.all([
      send(id, judge('accepted', 0)),
      send(id, judge('accepted', 1)),
      send(id, judge('worse', 1)),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect((await tenant.get(path(id))).body.items).toHaveLength(1);
    expect(await refuse(id, judge('accepted', 1))).toMatch(
      /^The latest decision on test run \S+ is 1, not 0\. Look at it/,
    );
  });

  it('never comes of rescoring the run', async () => {
    const id = await finishRun([OTHER_TOPIC]);
    const { body } = await tenant.post(API.testRuns.create.path, {
      trace_function_key: 'answer',
      rescore_of: id,
    });
    await tenant.post(path(body.id, API.testRuns.finish), { summary: summarize({}, []) });
    expect(await readRun(id)).toMatchObject({ passed: false });
    expect(await readRun(id)).not.toHaveProperty('decision');
  });
});

describe('a decision is made by', () => {
  it('members who may replay and keys that may manage, and no other key', async () => {
    const id = await finishRun([OTHER_TOPIC]);
    const ci = await service.withKey(tenant.accountId, 'replay');
    const { body } = await send(id, judge('accepted', 0), ci).expect(403);
    expect(body.detail).toMatch(/^Only a signed-in developer or admin, or a key with the scope manage/);
    await ci.post(routePath(API.testRuns.accept, { id, item_no: '0' })).expect(200);
    expect((await readRun(id)).passed).toBe(false);
    const viewer = await service.addMember(tenant, 'Vic', 'viewer');
    await send(id, judge('accepted', 0), viewer).expect(403);
    const developer = await service.addMember(tenant, 'Dee', 'developer');
    const other = { kind: 'person' as const, name: 'somebody else' };
    const decided = await send(id, { ...judge('accepted', 0), author: other }, developer).expect(201);
    expect(decided.body.decision.author).toEqual({ kind: 'person', name: 'Dee' });
    const stranger = await service.addTenant();
    await send(id, judge('accepted', 0), stranger).expect(404);
  });
});

describe('a run that cannot be decided', () => {
  it('is running or interrupted', async () => {
    const { id } = await startRun([OTHER_TOPIC]);
    expect(await refuse(id, judge('accepted', 0))).toMatch(/is not finished/);
    const summary = summarize({ changed: 0 }, ['changed']);
    await tenant.post(path(id, API.testRuns.finish), { status: 'interrupted', summary });
    expect(await refuse(id, judge('accepted', 0))).toMatch(/is not finished/);
    await tenant.post(path(id, API.testRuns.resume)).expect(200);
    expect(await refuse(id, judge('accepted', 0))).toMatch(/is not finished/);
    await finish(id, summary, 1);
    expect((await decide(id, judge('accepted', 0))).passed).toBe(true);
  });

  it.each<[string, object, RegExp]>([
    ['has no gate', { passed: true }, /has no gate/],
    ['has a gate with an unknown limit', summarize({ chnaged: 0 }, []), /chnaged is not a limit/],
    ['was stored without checks', { passed: false, gate: { changed: 0 } }, /has no checks/],
    [
      'failed for a reason that no check has',
      { ...summarize({ changed: 0 }, []), passed: false },
      /has no checks that explain/,
    ],
    [
      'has a malformed check',
      { passed: false, gate: { changed: 0 }, checks: [check('changed', false), { name: 'x' }] },
      /has no checks/,
    ],
  ])('%s', async (_, summary, detail) => {
    const id = await finishRun([OTHER_TOPIC], summary);
    const before = await readRun(id);
    expect(await refuse(id, judge('accepted', 0))).toMatch(detail);
    expect(await readRun(id)).toEqual(before);
    expect((await readItems(id))[0]).not.toHaveProperty('judgement');
  });

  it('does not exist', async () => {
    expect(await refuse(newTraceId(), judge('accepted', 0), 404)).toMatch(/not found/);
    await tenant.get(path(newTraceId())).expect(404);
  });
});

describe('a decision still fails', () => {
  it.each<[string, object, object?]>([
    ['a minimum of a score', { scores: { good: { min: 1 } } }],
    ['a rise of costs', { costUsd: { maxRise: 0 } }],
  ])('%s, which judgements do not change', async (_, limit) => {
    const name = 'scores' in limit ? 'scores.good.min' : 'costUsd.maxRise';
    const gate = { changed: 0, ...limit };
    const others = 'scores' in limit ? [check('scores.good', true)] : [check('costUsd.unmeasured', true)];
    const summary = summarize({ changed: 0 }, ['changed']);
    const checks = [...summary.checks, ...others, check(name, false)];
    const id = await finishRun([OTHER_TOPIC], { ...summary, gate, checks });
    const decision = await decide(id, judge('accepted', 0));
    expect(decision.passed).toBe(false);
    expect(decision.checks.filter(({ passed }) => !passed).map((one) => one.name)).toEqual([name]);
  });

  it('a limit whose result the client did not store', async () => {
    const gate = { changed: 0, scores: { good: { min: 1 } } };
    const id = await finishRun([OTHER_TOPIC], { ...summarize({ changed: 0 }, ['changed']), gate });
    const { passed, checks } = await decide(id, judge('accepted', 0));
    expect(passed).toBe(false);
    expect(checks).toContainEqual(
      expect.objectContaining({ name: 'scores.good.min', passed: false, measured: 'not stored' }),
    );
  });

  it('a check of a later version', async () => {
    const summary = summarize({ changed: 0 }, ['changed']);
    const checks = [...summary.checks, check('fromTheFuture', false)];
    const id = await finishRun([OTHER_TOPIC], { ...summary, checks });
    expect((await decide(id, judge('accepted', 0))).passed).toBe(false);
  });

  it('missing items, at the service or at the client', async () => {
    const { id } = await startRun([OTHER_TOPIC]);
    await finish(id, summarize({ changed: 0 }, ['changed']), 2);
    expect((await decide(id, judge('accepted', 0))).passed).toBe(false);
    const lost = await finishRun([OTHER_TOPIC], summarize({ changed: 0 }, ['changed', 'complete']));
    expect((await decide(lost, judge('accepted', 0))).passed).toBe(false);
  });

  it('calls that could not be made, whatever the client counted', async () => {
    const summary = summarize({ changed: 5 }, ['newErrors'], { unplayed: 0 });
    const failing: Outcome = { ...UNCALLED, new_error: undefined as never };
    const id = await finishRun([OTHER_TOPIC, failing], summary);
    const { passed, checks } = await decide(id, judge('accepted', 0));
    expect(passed).toBe(false);
    expect(checks).toContainEqual(expect.objectContaining({ name: 'newErrors', passed: false }));
  });
});

describe('an item is not accepted when', () => {
  it.each<[string, Outcome, RegExp]>([
    ['its call could not be made', UNCALLED, /could not be replayed/],
    [
      'an evaluator failed',
      { ...OTHER_TOPIC, verdict: 'error', error_of: 'judgement', error: { name: 'E', message: 'm' } },
      /^Item 0 cannot be judged: An evaluator failed/,
    ],
  ])('%s', async (_, outcome, detail) => {
    const id = await finishRun([outcome], summarize({ errors: 0 }, ['errors']));
    expect(await refuse(id, judge('accepted', 0))).toMatch(detail);
    expect(await refuse(id, judge('better', 0))).toMatch(detail);
    expect((await readRun(id)).passed).toBe(false);
  });

  it('its verdict is not the one that the caller saw', async () => {
    const id = await finishRun([OTHER_TOPIC, OTHER_TOPIC]);
    const change: Change = {
      judgements: [
        { item_no: 0, judgement: 'accepted', verdict: 'same' },
        { item_no: 1, judgement: 'accepted', verdict: 'changed' },
        { item_no: 7, judgement: 'accepted' },
      ],
    };
    const { body } = await send(id, change).expect(201);
    expect(body.refused).toEqual([
      { item_no: 0, detail: 'Its verdict is changed, not same. Look at it again.' },
      { item_no: 7, detail: 'Item not found' },
    ]);
    expect(body.decision).toMatchObject({ passed: false, totals: { changed: 1, same: 1 } });
  });

  it('it was erased with its trace, while earlier judgements stay', async () => {
    const { id, items } = await startRun([OTHER_TOPIC, OTHER_TOPIC]);
    await finish(id, summarize({ changed: 0 }, ['changed']), 2);
    await decide(id, judge('accepted', 0));
    const traces = items.map(({ replayed }) => replayed.trace_id);
    await tenant.post(API.deletions.create.path, { trace_ids: traces }).expect(201);
    await service.app.get(DeletionRunner).idle();
    expect(await refuse(id, { after: 1, ...judge('accepted', 1) })).toMatch(/was erased/);
    expect(await refuse(id, { after: 1, ...judge('worse', 1) })).toMatch(/was erased/);
    expect(await readItems(id)).toMatchObject([
      { erased: true, judgement: 'accepted' },
      { erased: true, verdict: 'changed' },
    ]);
    expect(await decide(id, { after: 1, ignore: ['$.version'] })).toMatchObject({
      passed: false,
      totals: { same: 1, changed: 1 },
    });
  });

  it('it is named twice', async () => {
    const id = await finishRun([OTHER_TOPIC]);
    expect(await refuse(id, judge('accepted', 0, 0), 400)).toMatch(/judgements must name each item once/);
  });

  it('nothing changes', async () => {
    const id = await finishRun([OTHER_TOPIC]);
    expect(await refuse(id, {})).toBe('The decision changes nothing. Judge an item, or ignore a path.');
  });
});

describe('an ignored path', () => {
  it('makes items the same that differ there alone, and is compared again when asked', async () => {
    const id = await finishRun([OTHER_VERSION, OTHER_TOPIC, SAME]);
    const ignored = await decide(id, { ignore: ['$.version'] });
    expect(ignored).toMatchObject({
      passed: false,
      ignore: ['$.version'],
      totals: { same: 2, changed: 1 },
      change: { ignored: ['$.version'], compared: [] },
    });
    expect(await readItems(id)).toMatchObject([
      { verdict: 'changed', ignored: true },
      { verdict: 'changed' },
      { verdict: 'same' },
    ]);
    expect((await decide(id, { after: 1, ...judge('accepted', 1) })).passed).toBe(true);
    expect((await decide(id, { after: 2, ...judge('worse', 0) })).passed).toBe(false);
    const compared = await decide(id, { after: 3, compare: ['$.version'], ...judge('none', 0) });
    expect(compared).toMatchObject({ ignore: [], totals: { same: 2, changed: 1 } });
    expect((await readItems(id))[0]).not.toHaveProperty('ignored');
  });

  it('is ignored by the clients of later runs with the key, until it is compared again', async () => {
    const id = await finishRun([OTHER_VERSION]);
    await decide(id, { ignore: ['$.version'] });
    const create = async (key: string) =>
      (await tenant.post(API.testRuns.create.path, { trace_function_key: key })).body.ignore;
    expect(await create('answer')).toEqual(['$.version']);
    expect(await create('other')).toBeUndefined();
    expect((await readRun(id)).ignore).toBeUndefined();
    await decide(id, { after: 1, compare: ['$.version'] });
    expect(await create('answer')).toBeUndefined();
  });

  it('hides no error, no fixed item and no missing output', async () => {
    const id = await finishRun(
      [
        NEW_ERROR,
        { ...OTHER_VERSION, original_error: { name: 'E', message: 'm' }, baseline: 'expected', fixed: true },
        { before: { version: 'a' }, verdict: 'changed' },
        { ...OTHER_VERSION, compared_by: { same: true } },
        { ...OTHER_VERSION, compared_by: { ignore: ['no path'] } },
      ],
      summarize({ changed: 0 }, ['changed', 'newErrors']),
    );
    const { passed, totals } = await decide(id, { ignore: ['$.version', '$.name', '$.message'] });
    expect([passed, totals.error, totals.changed, totals.same]).toEqual([false, 1, 4, 0]);
  });

  it('hides nothing whose recorded trace is gone', async () => {
    const { id, items } = await startRun([OTHER_VERSION]);
    await finish(id, summarize({ changed: 0 }, ['changed']), 1);
    await tenant.post(API.deletions.create.path, { trace_ids: [items[0]?.sources.trace_id] }).expect(201);
    await service.app.get(DeletionRunner).idle();
    expect((await decide(id, { ignore: ['$.version'] })).totals).toMatchObject({ same: 0, changed: 1 });
  });

  it.each([
    ['$', /^ignore has the invalid path/],
    ['version', /^ignore has the invalid path/],
    ['$.*', /ends with any name/],
    ['$..*', /ends with any name/],
    ['$.items[*]', /ends with any name/],
    ['$error.message', /is in an error/],
  ])('is never %s', async (ignored, detail) => {
    const id = await finishRun([OTHER_VERSION]);
    expect(await refuse(id, { ignore: [ignored] }, 400)).toMatch(detail);
  });
});
