import { LIMITS, type SpanRecord } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { NO_TOTALS } from '../src/storage/ports/test-run.js';
import { span, startedAt } from './support/records.js';
import { ManualClock } from './support/manual-clock.js';
import { Service, type Tenant } from './support/service.js';

const clock = new ManualClock();
let service: Service;
let tenant: Tenant;
const answered = span({ span_data: { input: [{ q: 1 }], output: { a: 1, b: 2 } } });
const failed = span({ status: 'error', span_data: { input: [], error: { name: 'E', message: 'then' } } });
const withoutOutput = span({ span_data: { input: [] } });

beforeAll(async () => {
  service = await Service.start({ clock });
  tenant = await service.addTenant();
  await tenant.store(answered, failed, withoutOutput);
});

afterAll(() => service.close());

const createRun = async (rest: object = {}): Promise<{ id: string }> =>
  (await tenant.post(API.testRuns.create.path, { trace_function_key: 'answer', ...rest }).expect(201)).body;
const items = (id: string) => routePath(API.testRuns.report, { id });
const get = async (id: string) => (await tenant.get(routePath(API.testRuns.get, { id })).expect(200)).body;
const finish = async (id: string, body: object = {}) =>
  (await tenant.post(routePath(API.testRuns.finish, { id }), body).expect(200)).body;
const report = async (id: string, reports: unknown[]) =>
  (await tenant.post(items(id), { items: reports }).expect(200)).body;
const makeReport = (item_no: number, source: SpanRecord, rest: object) => ({
  item_no,
  source_trace_id: source.trace_id,
  source_span_id: source.id,
  ...rest,
});

describe('a test run', () => {
  it('begins without items, at an address of the dashboard', async () => {
    const run = await createRun({ name: 'new prompt' });
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

  it('rejects a false "same" for a call that it selected', async () => {
    const { id } = await createRun({ selection: {} });
    const calls = routePath(API.testRuns.listCalls, { id });
    await tenant.get(`${calls}?limit=200&descendants=true`).expect(200);
    await report(id, [
      makeReport(0, answered, { verdict: 'same', result: { a: 1, b: 2 }, duration_ms: 5 }),
      makeReport(1, answered, { verdict: 'same', result: { a: 1, b: 3 }, duration_ms: 5 }),
      makeReport(2, withoutOutput, { verdict: 'same', result: null }),
    ]);
    const { body } = await tenant.get(items(id)).expect(200);
    expect(body.items).toMatchObject([
      { verdict: 'same', original_duration_ms: 1500, input_preview: '[{"q":1}]' },
      { verdict: 'changed' },
      { verdict: 'changed' },
    ]);
  });

  it('compares each new call with its original, and those that the reporter did not compare', async () => {
    const { id } = await createRun();
    const error = { name: 'E', message: 'now' };
    const reports = [
      makeReport(0, answered, { result: { b: 2, a: 1 }, duration_ms: 5 }),
      makeReport(1, answered, { result: { a: 1 } }),
      makeReport(2, answered, { error, new_trace_id: failed.trace_id, new_span_id: failed.id }),
      makeReport(3, failed, { result: 'better' }),
      makeReport(4, failed, { error: { name: 'E', message: 'then' } }),
      makeReport(5, withoutOutput, {}),
      makeReport(6, withoutOutput, { result: null }),
    ];
    expect(await report(id, reports)).toEqual({ accepted: 7, rejected: [] });
    const { body } = await tenant.get(`${items(id)}?payloads=true`).expect(200);
    expect(body.items.map((item: { verdict: string }) => item.verdict)).toEqual([
      'same',
      'changed',
      'error',
      'changed',
      'same',
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
    expect(body.items[3]).toMatchObject({ original_error: { name: 'E', message: 'then' }, fixed: true });
    expect(await finish(id)).toMatchObject({
      status: 'finished',
      finished_at: expect.any(String),
      totals: {
        ...NO_TOTALS,
        items: 7,
        same: 3,
        changed: 3,
        error: 1,
        fixed: 1,
        failing_as_before: 1,
        new_errors: 1,
      },
    });
  });

  it('accepts the report, unless the stored outcomes are known to differ', async () => {
    const { id } = await createRun();
    await report(id, [
      makeReport(0, answered, { verdict: 'same', result: { a: 1, b: 2 } }),
      makeReport(1, answered, { verdict: 'same', result: { a: 1, b: 3 } }),
      makeReport(2, answered, { verdict: 'same', result: { a: 1, b: 3 }, compared_by: { ignore: ['$.b'] } }),
      makeReport(3, answered, { verdict: 'unknown', result: { a: 1, b: 2 } }),
      {
        item_no: 4,
        input: ['of a list'],
        result: 1,
        verdict: 'changed',
        baseline: 'expected',
        original_output: 2,
      },
    ]);
    const { body } = await tenant.get(`${items(id)}?payloads=true`).expect(200);
    expect(body.items.map((item: { verdict: string }) => item.verdict)).toEqual([
      'same',
      'changed',
      'same',
      'unknown',
      'changed',
    ]);
    expect(body.items[1]).toMatchObject({ verdict_corrected: true });
    expect(body.items[4]).toMatchObject({ input: ['of a list'], original_output: 2 });
  });

  it('accepts an item without a recorded call when it reports an error', async () => {
    const { id } = await createRun();
    const error = { name: 'E', message: 'no such call' };
    const lost = { item_no: 0, source_trace_id: answered.trace_id, error };
    await report(id, [lost]);
    const { body } = await tenant.get(routePath(API.testRuns.getItem, { id, item_no: '0' })).expect(200);
    expect(body).toEqual({ ...lost, verdict: 'error', new_error: true });
  });

  it('counts an item that is reported again once, and its repetitions each', async () => {
    const { id } = await createRun();
    const now = (repetition: number, result: number) => makeReport(0, withoutOutput, { repetition, result });
    await report(id, [now(0, 1), now(1, 1), now(2, 1)]);
    await report(id, [now(0, 2), makeReport(0, withoutOutput, { repetition: 1, verdict: 'same' })]);
    expect((await get(id)).totals).toEqual({ ...NO_TOTALS, items: 3, same: 1, changed: 2, flaky: 1 });
    const path = routePath(API.testRuns.getItem, { id, item_no: '0' });
    expect((await tenant.get(path).expect(200)).body).toMatchObject({ result: 2 });
    expect((await tenant.get(`${path}?repetition=2`).expect(200)).body).toMatchObject({ result: 1 });
    await tenant.get(`${path}?repetition=3`).expect(404);
    await tenant.get(`${path}?repetition=x`).expect(400);
  });

  it('lists items without payloads, by verdict, flag and new trace', async () => {
    const { id } = await createRun();
    const divergences = [{ kind: 'missing', path: ['guard'] }];
    await report(id, [
      makeReport(0, answered, {
        verdict: 'same',
        result: { a: 1, b: 2 },
        divergences,
        new_trace_id: withoutOutput.trace_id,
      }),
      makeReport(1, answered, { error: { name: 'E', message: 'm'.repeat(300) } }),
      makeReport(2, failed, { result: 1 }),
    ]);
    const { body } = await tenant.get(items(id)).expect(200);
    expect(body.items[0]).toEqual({
      item_no: 0,
      source_trace_id: answered.trace_id,
      source_span_id: answered.id,
      new_trace_id: withoutOutput.trace_id,
      verdict: 'same',
      original_duration_ms: 1500,
      input_preview: '[{"q":1}]',
      divergence_count: 1,
    });
    expect(body.items[1].error_preview).toHaveLength(200);
    const numbers = async (query: string) =>
      (await tenant.get(`${items(id)}?${query}`).expect(200)).body.items.map(
        ({ item_no }: { item_no: number }) => item_no,
      );
    expect(await numbers('verdict=error')).toEqual([1]);
    expect(await numbers('flag=diverged')).toEqual([0]);
    expect(await numbers('flag=fixed&payloads=true')).toEqual([2]);
    expect(await numbers(`new_trace_id=${withoutOutput.trace_id}`)).toEqual([0]);
    await tenant.get(`${items(id)}?verdict=great`).expect(400);
    await tenant.get(`${items(id)}?payloads=yes`).expect(400);
  });

  it('continues after a page of items', async () => {
    const { id } = await createRun();
    await report(
      id,
      Array.from({ length: 5 }, (_, index) => makeReport(index, withoutOutput, {})),
    );
    for (const payloads of [true, false]) {
      const seen: number[] = [];
      let cursor = '';
      do {
        const query = `payloads=${payloads}&limit=2${cursor && `&cursor=${cursor}`}`;
        const { body } = await tenant.get(`${items(id)}?${query}`).expect(200);
        seen.push(...body.items.map(({ item_no }: { item_no: number }) => item_no));
        cursor = body.next_cursor ?? '';
      } while (cursor !== '');
      expect(seen).toEqual([0, 1, 2, 3, 4]);
    }
  });
});

describe('a report of items', () => {
  it('is accepted item by item: a rejected one harms no other', async () => {
    const { id } = await createRun();
    const unknown = span();
    const answer = await report(id, [
      makeReport(0, answered, {}),
      {},
      1,
      makeReport(1, unknown, {}),
      makeReport(2, answered, { error: { name: 'E' } }),
      makeReport(3, answered, { divergences: [{ kind: 'odd', path: [] }] }),
      { item_no: 4, source_trace_id: answered.trace_id },
      makeReport(5, answered, { verdict: 'fine' }),
      makeReport(6, answered, { repetition: -1 }),
      makeReport(7, answered, {}),
      makeReport(8, answered, { normalized: [{ key: 'search', calls: -1, ambiguous: 0 }] }),
    ]);
    expect(answer).toEqual({
      accepted: 2,
      rejected: [
        { index: 1, detail: expect.stringContaining('item_no must be a whole number') },
        { index: 2, detail: 'item must be an object, not 1' },
        { index: 3, item_no: 1, detail: `Span ${unknown.id} of trace ${unknown.trace_id} not found` },
        { index: 4, item_no: 2, detail: expect.stringContaining('error.message must be a string') },
        { index: 5, item_no: 3, detail: expect.stringContaining('divergences[0].kind must be') },
        { index: 6, item_no: 4, detail: 'source_span_id must be 16 hex digits' },
        { index: 7, item_no: 5, detail: expect.stringContaining('verdict must be one of') },
        { index: 8, item_no: 6, detail: expect.stringContaining('repetition must be a whole number') },
        {
          index: 10,
          item_no: 8,
          detail: expect.stringContaining('normalized[0].calls must be a whole number'),
        },
      ],
    });
    expect((await get(id)).totals.items).toBe(2);
  });

  it('is rejected alone when it nests too deeply', async () => {
    const { id } = await createRun();
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    const makeItemJson = (item_no: number, result: string): string =>
      JSON.stringify(makeReport(item_no, answered, { result: 'HERE' })).replace('"HERE"', result);
    const items = [
      makeItemJson(0, '1'),
      makeItemJson(1, nested(LIMITS.jsonDepth)),
      makeItemJson(2, nested(LIMITS.jsonDepth - 1)),
    ];
    const path = routePath(API.testRuns.report, { id });
    const { body } = await tenant.post(path, `{"items":[${items.join()}, ${nested(100_000)}]}`).expect(200);
    expect(body).toEqual({
      accepted: 2,
      rejected: [
        { index: 1, item_no: 1, detail: 'item nests deeper than 512' },
        { index: 3, detail: 'item nests deeper than 512' },
      ],
    });
  });

  it('is cut where it is too long, not refused', async () => {
    const { id } = await createRun();
    const path = Array.from({ length: 122 }, (_, index) => `step${index}`);
    const divergences = [
      { kind: 'extra', path, new_arguments: 'x'.repeat(5000) },
      { kind: 'extra', path: ['k'.repeat(600)] },
      ...Array(99).fill({ kind: 'missing', path: ['k'] }),
    ];
    expect(await report(id, [makeReport(0, answered, { divergences })])).toEqual({
      accepted: 1,
      rejected: [],
    });
    const { body } = await tenant.get(routePath(API.testRuns.getItem, { id, item_no: '0' })).expect(200);
    expect(body.divergence_count).toBe(101);
    expect(body.divergences).toHaveLength(100);
    expect(body.divergences[0].path).toHaveLength(LIMITS.divergencePath);
    expect(body.divergences[0].path.slice(0, 2)).toEqual(['step0', 'step1']);
    expect(body.divergences[0].path).toContain('…');
    expect(body.divergences[0].path.at(-1)).toBe('step121');
    expect(body.divergences[0].new_arguments).toHaveLength(4096);
    expect(body.divergences[1].path[0]).toHaveLength(512);
  });

  it('keeps scores and how the calls inside differed', async () => {
    const { id } = await createRun();
    const reported = {
      divergences: [{ kind: 'unanswerable', path: ['tools'], new_span_id: withoutOutput.id, reason: 'cut' }],
      divergence_count: 120,
      scores: [
        { name: 'helpful', value: 0.5, explanation: 'half' },
        { name: 'polite', value: null },
      ],
      original_scores: [{ name: 'helpful', value: true, metadata: { by: 'ann' } }],
      usage: { input_tokens: 3, cost_usd: 0.01 },
      original_usage: { input_tokens: 2 },
      model_calls: { made: 3, input_tokens: 2, output_tokens: 2, cost_usd: 0 },
      original_model_calls: { made: 1, input_tokens: 1, output_tokens: 1, cost_usd: 1 },
      original_duration_ms: 12.5,
    };
    await report(id, [makeReport(0, answered, reported)]);
    const { body } = await tenant.get(routePath(API.testRuns.getItem, { id, item_no: '0' })).expect(200);
    // The recorded duration is the service's own.
    expect(body).toMatchObject({ ...reported, original_duration_ms: 1500 });
    expect((await get(id)).totals.diverged).toBe(1);
  });

  it('accepts the maximum number of items in a report, and rejects the others', async () => {
    const { id } = await createRun();
    const reports = Array.from({ length: 1002 }, (_, index) => ({ item_no: index, result: index }));
    const { accepted, rejected } = await report(id, reports);
    expect(accepted).toBe(1000);
    expect(rejected.map(({ index }: { index: number }) => index)).toEqual([1000, 1001]);
  });

  it.each([
    [{}, 'items must be an array, not absent'],
    [{ items: {} }, 'items must be an array, not an object'],
  ])('is refused as a whole when it is none: %j', async (body, detail) => {
    const { id } = await createRun();
    await tenant.post(items(id), body).expect(400, { detail, status_code: 400 });
  });
});

describe('the life of a test run', () => {
  const beat = async (id: string) =>
    (await tenant.post(routePath(API.testRuns.beat, { id }), {}).expect(200)).body.status;

  it('is interrupted when its reporter is silent, and continues with the next report', async () => {
    const { id } = await createRun();
    clock.advance(59);
    expect((await get(id)).status).toBe('running');
    clock.advance(2);
    expect((await get(id)).status).toBe('interrupted');
    expect(await beat(id)).toBe('running');
    clock.advance(59);
    await report(id, [makeReport(0, answered, {})]);
    clock.advance(59);
    expect((await get(id)).status).toBe('running');
  });

  it('is interrupted when its reporter says so, until the next report', async () => {
    const { id } = await createRun();
    expect(await finish(id, { status: 'interrupted', expected_items: 9 })).toMatchObject({
      status: 'interrupted',
      expected_items: 9,
    });
    expect(await beat(id)).toBe('running');
    expect((await get(id)).status).toBe('running');
  });

  it('ends with the expected and skipped items of its reporter, and accepts none afterwards', async () => {
    const { id } = await createRun();
    const skipped = { refused: 2 };
    const first = await finish(id, { expected_items: 40, skipped });
    expect(first).toMatchObject({ status: 'finished', expected_items: 40, skipped });
    expect(await finish(id, { expected_items: 1 })).toEqual(first);
    const { body } = await tenant.post(items(id), { items: [] }).expect(409);
    expect(body).toEqual({ detail: `Test run ${id} is finished`, status_code: 409 });
    expect(await beat(id)).toBe('finished');
    clock.advance(1000);
    expect((await get(id)).status).toBe('finished');
    await tenant.post(routePath(API.testRuns.finish, { id }), { skipped: { refused: 'x' } }).expect(400);
  });

  it('keeps its result, which lists omit', async () => {
    const { id } = await createRun();
    const summary = { passed: false, failures: ['2 items changed'], scores: { helpful: { mean: 0.5 } } };
    expect(await finish(id, { summary })).toMatchObject({ passed: false, summary });
    const { body } = await tenant.get(API.testRuns.list.path).expect(200);
    const listed = body.items.find((run: { id: string }) => run.id === id);
    expect(listed).toMatchObject({ passed: false });
    expect(listed).not.toHaveProperty('summary');
  });

  it('drops its result when an interrupted run is resumed', async () => {
    const { id } = await createRun();
    await finish(id, { summary: { passed: false }, status: 'interrupted' });
    await tenant.post(routePath(API.testRuns.resume, { id }), {}).expect(200);
    const resumed = await get(id);
    expect(resumed.status).toBe('running');
    for (const member of ['summary', 'passed', 'undecided']) expect(resumed).not.toHaveProperty(member);
  });

  it.each<[string, object, object, boolean | undefined]>([
    ['passed, as its gate allows what is counted', { passed: true }, { changed: 1 }, true],
    [
      'not decided: its reporter let pass more than its gate allows',
      { passed: true },
      { changed: 0 },
      undefined,
    ],
    ['failed, whatever is counted', { passed: false }, { errors: 0 }, false],
    ['failed, with more than its gate allows', { passed: false }, { changed: 0 }, false],
    ['not decided: its reporter let pass too few', { passed: true }, { minItems: 2 }, undefined],
    ['without a decision, without a gate', {}, { changed: 0 }, undefined],
  ])('is %s, wherever it is told', async (_, decision, gate, expected) => {
    const { id } = await createRun();
    const items = [{ item_no: 0, verdict: 'changed', result: 1 }];
    await tenant.post(routePath(API.testRuns.report, { id }), { items }).expect(200);
    const finished = await finish(id, { summary: { ...decision, gate } });
    const { body } = await tenant.get(API.testRuns.list.path).expect(200);
    const listed = body.items.find((run: { id: string }) => run.id === id);
    const path = `${routePath(API.testRuns.compare, { id })}?with=${id}`;
    const { here } = (await tenant.get(path).expect(200)).body;
    const undecided = 'passed' in decision && expected === undefined ? true : undefined;
    for (const reported of [finished, await get(id), listed, here])
      expect([reported.passed, reported.undecided]).toEqual([expected, undecided]);
  });

  it.each<[string, object, object]>([
    ['of a selection', { selection: {} }, {}],
    ['of a list', {}, { expected_items: 2 }],
    ['of which each is played twice', { repeat: 2 }, { expected_items: 1 }],
  ])('has not passed without all of its items: %s', async (_, rest, reported) => {
    const { id } = await createRun(rest);
    await report(id, [{ item_no: 0, verdict: 'same', result: 1 }]);
    const summary = { passed: true, gate: {} };
    const stopped = await finish(id, { ...reported, summary, status: 'interrupted' });
    const finished = await finish(id, { ...reported, summary });
    for (const run of [stopped, finished]) {
      expect(run).toMatchObject({ undecided: true, totals: { items: 1 } });
      expect(run).not.toHaveProperty('passed');
    }
  });

  it('has not passed while it is running, whatever its reporter says', async () => {
    const { id } = await createRun();
    await report(id, [{ item_no: 0, verdict: 'same', result: 1 }]);
    const summary = { passed: true, gate: {} };
    expect(await finish(id, { summary, status: 'interrupted' })).toMatchObject({ undecided: true });
    expect(await finish(id, { summary })).toMatchObject({ passed: true });
  });

  it('counts each accepted item once, however many reporters finish it at the same time', async () => {
    const { id } = await createRun();
    await report(id, [{ item_no: 0, verdict: 'same', result: 1 }]);
    const gate = { changed: 0 };
    const late = [1, 2, 3].map((item_no) =>
      tenant.post(items(id), { items: [{ item_no, verdict: 'changed', result: 1 }] }),
    );
    const ends = [true, false, true].map((passed) => finish(id, { summary: { passed, gate } }));
    const taken = (await Promise.all(late)).filter(({ status }) => status === 200).length;
    await Promise.all(ends);
    const run = await get(id);
    expect(run.totals).toMatchObject({ items: 1 + taken, changed: taken });
    // Whichever came first: what is not kept is not passed.
    const isPassed = taken === 0 && run.summary.passed;
    expect([run.passed === true, run.summary.gate]).toEqual([isPassed, gate]);
    for (const reported of [await finish(id, { summary: { passed: true } }), await get(id)])
      expect(reported).toEqual(run);
  });

  it('rejects a summary over the limit, and reports its length', async () => {
    const { id } = await createRun();
    const summary = { text: 'é'.repeat(LIMITS.summaryBytes / 2) };
    const { body } = await tenant.post(routePath(API.testRuns.finish, { id }), { summary }).expect(400);
    expect(body.detail).toBe('summary must have at most 262144 bytes as JSON, not 262155');
    expect((await get(id)).status).toBe('running');
  });

  it('can be resumed after it was interrupted, by its reporter or by silence', async () => {
    const { id } = await createRun();
    const resume = async () =>
      (await tenant.post(routePath(API.testRuns.resume, { id }), {}).expect(200)).body;
    await report(id, [makeReport(0, answered, {})]);
    await finish(id, { status: 'interrupted' });
    expect(await resume()).toMatchObject({ status: 'running', totals: { items: 1 } });
    clock.advance(61);
    expect((await get(id)).status).toBe('interrupted');
    expect(await resume()).toMatchObject({ status: 'running', totals: { items: 1 } });
    await report(id, [makeReport(1, answered, {})]);
    expect((await finish(id)).totals.items).toBe(2);
  });

  describe.each<[string, object]>([
    ['passed', { summary: { passed: true, gate: { changed: 9 } } }],
    ['failed', { summary: { passed: false, gate: { changed: 0 } } }],
    ['had no gate', {}],
  ])('that is finished and %s', (_, end) => {
    const late = [{ item_no: 0, verdict: 'changed', result: 2 }];
    const attempts: [string, 'report' | 'resume' | 'beat' | 'finish', object | undefined, number][] = [
      ['resuming it', 'resume', {}, 409],
      ['reporting an item again', 'report', { items: late }, 409],
      ['reporting nothing', 'report', { items: [] }, 409],
      ['a sign of life', 'beat', {}, 200],
      ['finishing it with another decision', 'finish', { summary: { passed: true, gate: {} } }, 200],
      ['finishing it as failed', 'finish', { summary: { passed: false } }, 200],
      ['finishing it without a summary', 'finish', undefined, 200],
      [
        'calling it interrupted',
        'finish',
        { status: 'interrupted', expected_items: 7, skipped: { refused: 3 } },
        200,
      ],
    ];

    it.each(attempts)('does not change by %s', async (__, route, body, status) => {
      const { id } = await createRun();
      await tenant.post(items(id), { items: [{ item_no: 0, verdict: 'same', result: 1 }] }).expect(200);
      const finished = await finish(id, { ...end, expected_items: 1 });
      const stored = (await tenant.get(`${items(id)}?payloads=true`).expect(200)).body;
      clock.advance(5);
      const path = routePath(API.testRuns[route], { id });
      for (let attempt = 0; attempt < 2; attempt++)
        await tenant.post(path, ...(body === undefined ? [] : [body])).expect(status);
      expect(await get(id)).toEqual(finished);
      expect((await tenant.get(`${items(id)}?payloads=true`).expect(200)).body).toEqual(stored);
    });
  });

  it('names the finished run and the cure when it refuses to resume it', async () => {
    const { id } = await createRun();
    await finish(id);
    const { body } = await tenant.post(routePath(API.testRuns.resume, { id }), {}).expect(409);
    expect(body.detail).toBe(`Test run ${id} is finished and cannot be resumed. Start a new run`);
  });

  it('has one decision when reporters end, resume and interrupt it at once: the first, and all hear it', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await createRun();
      await report(id, [{ item_no: 0, verdict: 'changed', result: 1 }]);
      const gate = { changed: 1 };
      const [heard] = await Promise.all([
        Promise.all([true, false].map((passed) => finish(id, { summary: { passed, gate } }))),
        finish(id, { summary: { passed: false, gate }, status: 'interrupted' }),
        tenant.post(routePath(API.testRuns.resume, { id }), {}),
      ]);
      const run = await get(id);
      expect(run).toMatchObject({ status: 'finished', passed: run.summary.passed, totals: { changed: 1 } });
      expect(heard).toEqual([run, run]);
      const { body } = await tenant.get(API.testRuns.list.path).expect(200);
      expect(body.items.find((other: { id: string }) => other.id === id).passed).toBe(run.passed);
    }
  });

  it('finishes without a body, too', async () => {
    const { id } = await createRun();
    await tenant.post(routePath(API.testRuns.finish, { id })).expect(200);
  });
});

describe('the selection of a test run', () => {
  const key = 'selected';
  const calls = [1, 2, 3, 4].map((second) =>
    span({ trace_function_key: key, name: `c${second}`, started_at: startedAt(second) }),
  );
  const tool = span({ trace_id: calls[3]!.trace_id, parent_id: calls[3]!.id, trace_function_key: 'tool' });

  beforeAll(() => tenant.store(...calls, tool));

  const select = (selection: object) => createRun({ trace_function_key: key, selection });
  const listCalls = async (id: string, query = '') =>
    (await tenant.get(`${routePath(API.testRuns.listCalls, { id })}?${query}`).expect(200)).body;

  it('is resolved when the run is created, and kept', async () => {
    const { id } = await select({ limit: 3 });
    expect((await get(id)).selection).toEqual({
      request: { limit: 3 },
      items: 3,
      missing: 0,
      skipped: { beyond_limit: 1 },
    });
    await tenant.store(span({ trace_function_key: key, started_at: startedAt(30), test_run_id: 'r' }));
    const { items: selected } = await listCalls(id, 'descendants=true');
    expect(selected).toMatchObject([
      {
        item_no: 0,
        trace_id: calls[3]?.trace_id,
        call: {
          name: 'c4',
          input: ['question'],
          descendants: [{ span_id: tool.id, parent_id: calls[3]?.id }],
        },
      },
      { item_no: 1, call: { name: 'c3', descendants: [] } },
      { item_no: 2, call: { name: 'c2' } },
    ]);
  });

  it('is read page by page, including the rest after some items', async () => {
    const { id } = await select({});
    await report(id, [makeReport(1, calls[2]!, {}), makeReport(3, calls[0]!, {})]);
    const seen: number[] = [];
    let cursor = '';
    do {
      const page = await listCalls(id, `left=true&limit=1${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.items.map(({ item_no }: { item_no: number }) => item_no));
      cursor = page.next_cursor ?? '';
    } while (cursor !== '');
    expect(seen).toEqual([0, 2]);
    expect((await listCalls(id)).items).toHaveLength(4);
  });

  it('keeps a place for a trace without such a call', async () => {
    const stranger = span({ trace_function_key: 'other' });
    await tenant.store(stranger);
    const { id } = await select({ trace_ids: [stranger.trace_id, calls[0]!.trace_id] });
    const { items: selected } = await listCalls(id);
    expect(selected[0]).toEqual({ item_no: 0, trace_id: stranger.trace_id });
    expect(selected[1].call.name).toBe('c1');
  });

  it('reports an unknown key', async () => {
    const run = await createRun({ trace_function_key: 'misspelt', selection: {} });
    expect(run).toMatchObject({ selection: { items: 0, unknown_key: true } });
  });

  it('is empty for a run whose reporter brings its items', async () => {
    const { id } = await createRun();
    expect(await listCalls(id)).toEqual({ items: [] });
  });

  it.each([
    [{ limit: -1 }, 'selection.limit must be a whole number'],
    [{ trace_ids: ['x'] }, 'selection.trace_ids[0] must be a UUID'],
    [{ since: 'yesterday' }, 'selection.since must be an ISO 8601 time'],
    [{ status: 'great' }, 'selection.status must be one of'],
    [{ classes: 'Desk' }, 'selection.classes must be an array'],
    [{ except_classes: ['Desk', ' '] }, 'selection.except_classes[1] must not be blank'],
    [{ metadata: 'x' }, 'selection.metadata must be an object'],
    [{ every_call: 1 }, 'selection.every_call must be true or false'],
    [{ sample: {} }, 'selection.sample.size must be a whole number'],
    [{ sample: { size: 1, by: 'luck' } }, 'selection.sample.by must be one of'],
    [{ sesion_id: 's' }, 'Unknown field "selection.sesion_id"'],
    [{ type: 'tool' }, 'selection.type must be one of'],
    [{ text: '!' }, 'selection.text must have a letter or a digit'],
    [{ min_tokens: -1 }, 'selection.min_tokens must be a number of at least 0'],
    [{ min_cost_usd: 2, max_cost_usd: 1 }, 'selection.min_cost_usd must not be greater than max_cost_usd'],
    [{ score_is: 'good' }, 'selection.score must name the score'],
    [{ score: 'kind', score_below: 'x' }, 'selection.score_below must be a number'],
    [{ score: 'kind', score_is: {} }, 'selection.score_is must be a text, a number, true or false'],
  ])('is refused when it is %j', async (selection, detail) => {
    const { body } = await tenant
      .post(API.testRuns.create.path, { trace_function_key: key, selection })
      .expect(400);
    expect(body.detail).toContain(detail);
  });
});

describe('the list of test runs', () => {
  it('shows the newest first, of one key or of all', async () => {
    const other = await service.addTenant();
    for (const key of ['a', 'b', 'a'])
      await other.post(API.testRuns.create.path, { trace_function_key: key }).expect(201);
    const keys = async (query: string): Promise<string[]> =>
      (await other.get(`${API.testRuns.list.path}${query}`).expect(200)).body.items.map(
        (run: { trace_function_key: string }) => run.trace_function_key,
      );
    expect(await keys('')).toEqual(['a', 'b', 'a']);
    expect(await keys('?trace_function_key=b')).toEqual(['b']);
    expect(await keys('?limit=2')).toEqual(['a', 'b']);
  });

  it('gives runs the public address if configured', async () => {
    const behindProxy = await Service.start({ publicUrl: 'https://dacapo.example.com/' });
    const someone = await behindProxy.addTenant();
    const { body } = await someone.post(API.testRuns.create.path, { trace_function_key: 'k' }).expect(201);
    expect(body.url).toBe(`https://dacapo.example.com/test-runs/${body.id}`);
    await behindProxy.close();
  });
});
