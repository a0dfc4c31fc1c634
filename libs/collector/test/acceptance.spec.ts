import { newTraceId, type SpanRecord, type TestRunItemRecord } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { DeletionRunner } from '../src/deletions/deletion-runner.js';
import { score, span } from './support/records.js';
import { Service, type Tenant } from './support/service.js';

let service: Service;
let tenant: Tenant;
let source: SpanRecord;

beforeAll(async () => {
  service = await Service.start();
});

beforeEach(async () => {
  tenant = await service.addTenant();
  source = span({ span_data: { input: ['q'], output: 'old' } });
  await tenant.store(source);
});

afterAll(() => service.close());

const createRun = async (rest: object = {}): Promise<string> =>
  (
    await tenant
      .post(API.testRuns.create.path, { trace_function_key: 'answer', selection: {}, ...rest })
      .expect(201)
  ).body.id;

/** Plays the one recorded call anew: stores the new call, and reports it. */
async function recordReplay(
  id: string,
  changes: Partial<SpanRecord> = {},
  report: object = {},
): Promise<SpanRecord> {
  const replayed = span({ test_run_id: id, span_data: { input: ['q'], output: 'new' }, ...changes });
  await tenant.store(replayed);
  const item = {
    item_no: 0,
    source_trace_id: source.trace_id,
    source_span_id: source.id,
    new_trace_id: replayed.trace_id,
    new_span_id: replayed.id,
    verdict: 'changed',
    ...report,
  };
  const { body } = await tenant.post(routePath(API.testRuns.report, { id }), { items: [item] });
  expect(body).toEqual({ accepted: 1, rejected: [] });
  return replayed;
}

const acceptPath = (id: string, item_no = '0') => routePath(API.testRuns.accept, { id, item_no });
const readCalls = async (id: string) =>
  (await tenant.get(routePath(API.testRuns.listCalls, { id })).expect(200)).body.items;
const listItemNumbers = async (id: string, query: string): Promise<number[]> =>
  (await tenant.get(`${routePath(API.testRuns.listItems, { id })}?${query}`).expect(200)).body.items.map(
    ({ item_no }: TestRunItemRecord) => item_no,
  );

describe('accepting an item', () => {
  it('makes its new outcome the one that later runs expect of the call', async () => {
    const first = await createRun();
    await recordReplay(first, { span_data: { output: '9', meta: { output: { types: { '': 'bigint' } } } } });
    const author = { kind: 'person', name: 'ann' };
    const { body } = await tenant.post(acceptPath(first), { author, note: 'better' }).expect(200);
    expect(body).toMatchObject({
      item_no: 0,
      verdict: 'changed',
      acceptance: { author, note: 'better', accepted_at: expect.stringMatching(/Z$/) },
    });
    const later = await createRun({ baseline: 'accepted', repeat: 3 });
    expect(await readCalls(later)).toMatchObject([
      {
        item_no: 0,
        baseline: { output: '9', meta: { output: { types: { '': 'bigint' } } }, accepted: true },
      },
    ]);
    const run = (await tenant.get(routePath(API.testRuns.get, { id: later }))).body;
    expect(run).toMatchObject({ baseline: 'accepted', repeat: 3 });
    expect((await readCalls(await createRun()))[0]).not.toHaveProperty('baseline');
  });

  it('leaves a finished run, its decision and its verdicts as they are, and so does taking it back', async () => {
    const id = await createRun();
    await recordReplay(id);
    const summary = { passed: false, gate: { changed: 0 } };
    const finished = (await tenant.post(routePath(API.testRuns.finish, { id }), { summary })).body;
    expect(finished).toMatchObject({ status: 'finished', passed: false });
    const path = `${routePath(API.testRuns.report, { id })}?payloads=true`;
    const [stored] = (await tenant.get(path).expect(200)).body.items;
    const run = async (): Promise<object> => (await tenant.get(routePath(API.testRuns.get, { id }))).body;
    await tenant.post(acceptPath(id)).expect(200);
    const { acceptance, ...accepted } = (await tenant.get(path).expect(200)).body.items[0];
    expect([acceptance, accepted]).toEqual([expect.any(Object), stored]);
    expect(await run()).toEqual(finished);
    const later = await createRun({ baseline: 'accepted' });
    expect(await readCalls(later)).toMatchObject([{ baseline: { output: 'new' } }]);
    await tenant.delete(acceptPath(id)).expect(204);
    expect((await tenant.get(path).expect(200)).body.items).toEqual([stored]);
    expect(await run()).toEqual(finished);
  });

  it('is of the account when nobody is named, without a body too', async () => {
    const run = await createRun();
    await recordReplay(run);
    const { body } = await tenant.post(acceptPath(run)).expect(200);
    expect(body.acceptance.author).toEqual({ kind: 'person', name: 'a tenant' });
  });

  it('is unknown after it is erased: a run that expected it does not fall back to the recorded outcome', async () => {
    const first = await createRun();
    const made = await recordReplay(first);
    await tenant.post(acceptPath(first), {}).expect(200);
    const under = await createRun({ baseline: 'accepted' });
    await tenant.post(API.deletions.create.path, { trace_ids: [made.trace_id] }).expect(201);
    await service.app.get(DeletionRunner).idle();
    const [call] = await readCalls(under);
    expect(call).toMatchObject({ call: { output: 'old' }, baseline: { accepted: true } });
    expect(call.baseline).toEqual({ meta: { output: { replayable: false } }, accepted: true });
  });

  it('applies to later runs: a running one keeps its baseline', async () => {
    const first = await createRun();
    await recordReplay(first);
    const before = await createRun({ baseline: 'accepted' });
    await tenant.post(acceptPath(first), {}).expect(200);
    const after = await createRun({ baseline: 'accepted' });
    await tenant.delete(acceptPath(first)).expect(204);
    expect((await readCalls(before))[0]).not.toHaveProperty('baseline');
    expect((await readCalls(after))[0].baseline).toEqual({ output: 'new', accepted: true });
    expect((await readCalls(await createRun({ baseline: 'accepted' })))[0]).not.toHaveProperty('baseline');
  });

  it('when deleted alone, restores the outcome that was accepted before', async () => {
    const [first, second] = [await createRun(), await createRun()];
    await recordReplay(first, { span_data: { output: 'one' } });
    await recordReplay(second, { span_data: { output: 'two' } });
    await tenant.post(acceptPath(first), {}).expect(200);
    await tenant.post(acceptPath(second), {}).expect(200);
    const expected = async () =>
      (await readCalls(await createRun({ baseline: 'accepted' })))[0].baseline.output;
    expect(await expected()).toBe('two');
    await tenant.delete(acceptPath(second)).expect(204);
    expect(await expected()).toBe('one');
    const { body } = await tenant.delete(acceptPath(second)).expect(404);
    expect(body.detail).toBe(`Nothing was accepted from item 0 of test run ${second}`);
  });

  it('accepts an error as an outcome, and the reported outcome when the call is not stored', async () => {
    const failing = await createRun();
    const error = { name: 'E', message: 'not a ticket' };
    await recordReplay(failing, { status: 'error', span_data: { error } });
    await tenant.post(acceptPath(failing), {}).expect(200);
    expect((await readCalls(await createRun({ baseline: 'accepted' })))[0].baseline).toEqual({
      error,
      accepted: true,
    });
    const reported = await createRun();
    const lost = { new_trace_id: newTraceId(), new_span_id: span().id };
    await recordReplay(reported, {}, { ...lost, result: 'told' });
    await tenant.post(acceptPath(reported), {}).expect(200);
    expect((await readCalls(await createRun({ baseline: 'accepted' })))[0].baseline.output).toBe('told');
  });

  it.each<[string, Partial<SpanRecord>, object, RegExp]>([
    [
      'an outcome that was cut without a hash',
      { span_data: { output: 'head', meta: { output: { truncated: { '': { bytes: 9, kept: 4 } } } } } },
      {},
      /^The outcome of item 0 was cut, masked or incompletely recorded.*capture\.maxFieldBytes/,
    ],
    [
      'a call that did not end',
      { status: 'unfinished', span_data: {} },
      {},
      /^The new call of item 0 is unfinished: it has no outcome/,
    ],
    [
      'a call whose consumer stopped early',
      { status: 'cancelled', span_data: {} },
      {},
      /^The new call of item 0 is cancelled/,
    ],
    [
      'a call whose error was not recorded',
      { status: 'error', span_data: {} },
      {},
      /^The new call of item 0 failed, and its error was not recorded/,
    ],
    [
      'a call that did not arrive',
      {},
      { new_trace_id: newTraceId() },
      /^The new call of item 0 is not stored or has not arrived yet/,
    ],
    [
      'an item that could not be replayed',
      {},
      {
        new_trace_id: null,
        new_span_id: null,
        verdict: 'error',
        error: { name: 'E', message: 'no class Money' },
      },
      /^Item 0 could not be replayed: no class Money/,
    ],
    [
      'an item that is no recorded call',
      {},
      { source_trace_id: null, source_span_id: null, item_no: 7 },
      /^Item 7 is an item of a list/,
    ],
  ])('refuses %s', async (_, changes, reported, detail) => {
    const run = await createRun();
    await recordReplay(run, changes, reported);
    const itemNo = 'item_no' in reported ? '7' : '0';
    const { body } = await tenant.post(acceptPath(run, itemNo), {}).expect(409);
    expect(body.detail).toMatch(detail);
  });

  it('accepts a cut outcome, whose hash distinguishes it from every other', async () => {
    const run = await createRun();
    const truncated = { '': { bytes: 9, kept: 4, sha256: 'a'.repeat(64) } };
    await recordReplay(run, { span_data: { output: 'head', meta: { output: { truncated } } } });
    await tenant.post(acceptPath(run), {}).expect(200);
  });

  it('reports what it does not find or understand', async () => {
    const run = await createRun();
    await tenant.post(acceptPath(run), {}).expect(404);
    await tenant.post(acceptPath(newTraceId()), {}).expect(404);
    await recordReplay(run);
    const { body } = await tenant.post(acceptPath(run), { author: { kind: 'cat', name: 'x' } }).expect(400);
    expect(body.detail).toBe('author.kind must be one of person, program, evaluator, not "cat"');
  });
});

describe('a run whose baseline is another run', () => {
  it('uses the outcomes of that run', async () => {
    const first = await createRun();
    await recordReplay(first, {}, { result: 'new', usage: { input_tokens: 3 }, duration_ms: 5 });
    const second = await createRun({ baseline: { test_run_id: first } });
    expect((await readCalls(second))[0].baseline).toEqual({
      output: 'new',
      usage: { input_tokens: 3 },
      duration_ms: 5,
    });
    const empty = await createRun({ baseline: { test_run_id: second } });
    expect((await readCalls(empty))[0]).not.toHaveProperty('baseline');
  });

  const error = { name: 'Error', message: 'no' };
  const failed = { name: 'EvaluatorFailedError', message: 'no', code: 'EVALUATION_EVALUATOR_FAILED' };

  it.each<[string, object]>([
    ['an evaluator failed', { error, error_of: 'judgement' }],
    ['the call could not be made', { error, error_of: 'play' }],
    ['it could not be made, as an older version says it', { error, new_span_id: undefined }],
    ['an evaluator failed, as an older version says it', { error: failed }],
    ['several did, as an older version says it', { error: { ...error, errors: [failed, failed] } }],
  ])('gets nothing where %s: what ends well now is not mended', async (_, report) => {
    const first = await createRun();
    await recordReplay(first, {}, { verdict: 'error', ...report });
    expect((await readCalls(await createRun({ baseline: { test_run_id: first } })))[0]).not.toHaveProperty(
      'baseline',
    );
  });

  it('gets the error that the call itself ended with', async () => {
    const first = await createRun();
    await recordReplay(first, {}, { verdict: 'error', error });
    const second = await createRun({ baseline: { test_run_id: first } });
    expect((await readCalls(second))[0].baseline).toEqual({ error });
  });

  it.each([
    [{ baseline: 'best' }, 400, 'baseline must be one of recording, accepted, not "best"'],
    [{ baseline: { test_run_id: 'x' } }, 400, 'baseline.test_run_id must be a UUID in lower case'],
    [{ repeat: 0 }, 400, 'repeat must be a whole number from 1 to 1000, not 0'],
  ])('is refused as %j', async (rest, status, detail) => {
    const body = { trace_function_key: 'answer', ...rest };
    await tenant.post(API.testRuns.create.path, body).expect(status, { detail, status_code: status });
  });

  it('must be a run of the caller', async () => {
    const stranger = await service.addTenant();
    const body = { trace_function_key: 'answer', baseline: { test_run_id: await createRun() } };
    await stranger.post(API.testRuns.create.path, body).expect(404);
  });
});

describe('a list of items', () => {
  it('is filtered by accepted outcomes, of this run and earlier ones', async () => {
    const run = await createRun();
    await recordReplay(run);
    await recordReplay(run, {}, { item_no: 1 });
    await recordReplay(run, {}, { item_no: 2, verdict: 'same', accepted: true });
    await tenant.post(acceptPath(run, '1'), {}).expect(200);
    expect(await listItemNumbers(run, 'accepted=true')).toEqual([1, 2]);
    expect(await listItemNumbers(run, 'accepted=false')).toEqual([0]);
    expect(await listItemNumbers(run, 'accepted=false&verdict=same')).toEqual([]);
  });

  it('is filtered by scores, of reports and of people', async () => {
    const run = await createRun();
    const values = [0.2, true, 'toxic', null, undefined];
    for (const [item_no, value] of values.entries()) {
      await recordReplay(
        run,
        {},
        { item_no, ...(value !== undefined && { scores: [{ name: 'helpful', value }] }) },
      );
    }
    const scored = score({ test_run_id: run, item_no: 4, value: 0.9 });
    await tenant.post(API.scores.add.path, { scores: [scored] }).expect(200, { accepted: 1, rejected: [] });
    expect(await listItemNumbers(run, 'score=helpful')).toEqual([0, 1, 2, 4]);
    expect(await listItemNumbers(run, 'score=helpful&score_below=0.5')).toEqual([0]);
    expect(await listItemNumbers(run, 'score=helpful&score_above=0.5')).toEqual([1, 4]);
    expect(await listItemNumbers(run, 'score=other')).toEqual([]);
    const { body } = await tenant.get(routePath(API.testRuns.listItems, { id: run }));
    expect(body.items[0].scores).toEqual([{ name: 'helpful', value: 0.2 }]);
  });
});
