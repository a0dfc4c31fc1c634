import { startCollector } from '@dacapo/collector';
import { type EvaluatorContext, judge, latency } from '@dacapo/evaluation';
import { type Page, type TestRunItemRecord, type TestRunRecord } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { type EvaluateOptions, type ReplayResult, Tracer } from '@dacapo/tracer';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from './support/remove-folder.js';

type Seen = EvaluatorContext<[string], string>;
const long = ({ output }: Seen): boolean => output.length > 4;
const TEXTS = ['late', 'charged', 'why'];

describe('rescoring a run, from the tracer through a real collector and back', () => {
  let folder: string;
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let tracer: Tracer;
  let keys = 0;
  let key: string;
  let replayed: number;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dacapo-rescored-'));
    collector = await startCollector({ port: 0, dataDir: join(folder, 'data') });
    tracer = new Tracer({
      apiKey: collector.apiKey!,
      serviceUrl: collector.url,
      capture: { maxFieldBytes: 20_000 },
    });
  });

  afterAll(async () => {
    await tracer.shutdown();
    await collector.close();
    await removeFolder(folder);
  });

  beforeEach(() => {
    key = `desk-${++keys}`;
    replayed = 0;
  });

  const ask = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const headers = { 'api-key': collector.apiKey!, 'content-type': 'application/json' };
    return (await (await fetch(`${collector.url}${path}`, { ...init, headers })).json()) as T;
  };
  const getRun = (id: string): Promise<TestRunRecord> => ask(routePath(API.testRuns.get, { id }));
  const getItems = async (id: string): Promise<TestRunItemRecord[]> =>
    (await ask<Page<TestRunItemRecord>>(`${routePath(API.testRuns.report, { id })}?payloads=true`)).items;

  const record = (answer: (text: string) => string = (text) => text): void => {
    const traced = tracer.withSpan(key, answer);
    for (const text of TEXTS) traced(text);
  };
  const evaluate = (
    fn: (text: string) => string,
    options: Partial<EvaluateOptions<[string], string>> = {},
  ): Promise<ReplayResult<[string], string>> =>
    tracer.evaluate(
      (text: string) => {
        replayed++;
        return fn(text);
      },
      { data: { key }, evaluators: { long }, ...options },
    );
  const pickScores = ({ items }: ReplayResult<[string], string>): unknown[] =>
    items.map(({ scores, originalScores = [] }) => [scores[0]?.score, originalScores[0]?.score]);

  it('scores the stored outcomes like the replay did, without calling the function', async () => {
    record();
    const source = await evaluate((text) => `${text} now`);
    const before = await getRun(source.testRunId);
    const run = await tracer.rescore(source.testRunId, { evaluators: { long }, gate: { changed: 3 } });
    expect(replayed).toBe(3);
    expect(run).toMatchObject({ status: 'finished', passed: true, totals: { items: 3, changed: 3 } });
    expect(pickScores(run)).toEqual(pickScores(source));
    expect(run.scores).toEqual(source.scores);
    expect(run.testRunId).not.toBe(source.testRunId);
    expect(await getRun(source.testRunId)).toEqual(before);
    expect(await getRun(run.testRunId)).toMatchObject({
      rescore_of: source.testRunId,
      status: 'finished',
      passed: true,
      trace_function_key: key,
      selection: before.selection,
    });
    const [stored] = await getItems(run.testRunId);
    const [of] = await getItems(source.testRunId);
    expect(stored).toEqual({ ...of, scores: stored?.scores });
  });

  it('scores again with a better judge, and the gate decides', async () => {
    record();
    const source = await evaluate((text) => text.toUpperCase());
    const strict = judge<[string], string>({
      name: 'loud',
      choices: { yes: 1, no: 0 },
      ask: ({ output }) => (output === output.toUpperCase() ? '**Yes**, because it is.' : 'no.'),
    });
    const run = await tracer.rescore(source.testRunId, {
      evaluators: [strict],
      gate: { scores: { loud: { min: 1 } } },
    });
    expect(run).toMatchObject({ passed: true, scores: { loud: { mean: 1, n: 3, delta: { mean: 1 } } } });
    const failing = await tracer.rescore(source.testRunId, { evaluators: { long }, gate: { changed: 0 } });
    expect(failing).toMatchObject({ passed: false, totals: { changed: 3 } });
  });

  it.each<[string, Partial<EvaluateOptions<[string], string>>]>([
    [
      'a list',
      {
        data: [
          { input: 'late', expected: 'late' },
          { input: 'charged', expected: 'billing' },
        ],
      },
    ],
    ['repetitions', { repeat: 2 }],
    ['a baseline function', { baseline: { function: (text: string) => `${text}!` } }],
    ['itself', { baseline: 'self' }],
    ['accepted outcomes', { baseline: 'accepted' }],
    ['ignored paths', { ignore: ['$.id'] }],
    ['a custom `same`', { same: () => true }],
  ])('keeps verdicts and scores of a run with %s', async (_, options) => {
    record();
    const source = await evaluate((text) => text, { key, ...options });
    const run = await tracer.rescore(source.testRunId, { evaluators: { long } });
    expect(run.status).toBe('finished');
    expect(run.totals).toEqual(source.totals);
    expect(pickScores(run)).toEqual(pickScores(source));
    expect((await getItems(run.testRunId)).map(({ verdict }) => verdict)).toEqual(
      (await getItems(source.testRunId)).map(({ verdict }) => verdict),
    );
  });

  it('keeps the names of list items for JUnit', async () => {
    const data = [{ name: 'late parcel', input: 'late' }, { input: 'charged' }, { input: 'lost' }];
    const source = await evaluate((text) => `${text} now`, { data, key });
    const run = await tracer.rescore(source.testRunId, { evaluators: { long } });
    const namesIn = (report: string): string[] =>
      [...report.matchAll(/<testcase [^>]*name="([^"]*)"/g)].map(([, name = '']) => name);
    expect(namesIn(run.toJUnit())).toEqual(namesIn(source.toJUnit()));
    expect(new Set(namesIn(run.toJUnit())).size).toBe(3);
    const stored = (await getItems(run.testRunId)).map(({ name }) => name);
    expect(stored).toEqual([
      'late parcel',
      ...Array.from({ length: 2 }, () => expect.stringMatching(/^input [\da-f]{12}$/)),
    ]);
  });

  it('does not score outcomes that are masked, cut, deleted or not stored', async () => {
    const outputs: Record<string, string> = {
      late: 'x'.repeat(100_000),
      charged: 'Bearer sk-abcdefghijklmnopqrstuvwxyz0123456789ABCD',
      why: 'fine now',
    };
    record((text) => (text === 'why' ? text : outputs[text]!));
    const source = await evaluate((text) => outputs[text] ?? '');
    expect(source.totals).toMatchObject({ same: 2, changed: 1 });
    const run = await tracer.rescore(source.testRunId, {
      evaluators: { long },
      gate: { scores: { long: { min: 0 } } },
    });
    expect(run.totals).toMatchObject({ items: 3, changed: 1, unknown: 2 });
    expect(run.scores['long']).toMatchObject({ n: 1, missing: 2 });
    expect(run.passed).toBe(false);
    expect(run.warnings).toEqual(['2 stored outcomes were not scored: its output was cut or masked.']);
    const [item] = await getItems(source.testRunId);
    const body = JSON.stringify({ trace_ids: [item?.source_trace_id] });
    const { id } = await ask<{ id: string }>(API.deletions.create.path, { method: 'POST', body });
    for (let state = ''; state !== 'done';)
      ({ state } = await ask<{ state: string }>(routePath(API.deletions.get, { id })));
    expect((await getItems(run.testRunId))[0]).toMatchObject({ erased: true });
    const again = await tracer.rescore(source.testRunId, { evaluators: { long } });
    expect(again.warnings.join()).toContain('its content was deleted');
    expect(again.totals.items).toBe(3);
  });

  it.each<[string, (text: string) => string, object]>([
    ['cut changed outputs', (text) => text.padEnd(100_000, 'x'), { changed: 3, unknown: 0 }],
    [
      'cut errors',
      (text) => {
        throw new Error(text.padEnd(100_000, 'x'));
      },
      { error: 3, newErrors: 3, unknown: 0 },
    ],
  ])('never decides better about %s', async (_, fn, totals) => {
    record();
    const source = await evaluate(fn);
    const gate = { changed: 0, errors: 0, unknown: 3 };
    const run = await tracer.rescore(source.testRunId, { evaluators: { long }, gate });
    expect(run.totals).toMatchObject(totals);
    expect(run.passed).toBe(false);
    expect((await getItems(run.testRunId)).map(({ verdict }) => verdict)).toEqual(
      (await getItems(source.testRunId)).map(({ verdict }) => verdict),
    );
  });

  it('counts items whose evaluator had failed as unknown', async () => {
    record();
    const source = await evaluate((text) => text, {
      evaluators: {
        broken: (): never => {
          throw new Error('quota');
        },
      },
    });
    expect(source.totals.error).toBe(3);
    const run = await tracer.rescore(source.testRunId, { evaluators: { long } });
    expect(run.totals).toMatchObject({ unknown: 3, error: 0 });
    expect(run.warnings.join()).toContain('an evaluator had failed');
  });

  it('has no score for an evaluator that needs data that is not stored', async () => {
    record();
    const source = await evaluate((text) => text);
    const run = await tracer.rescore(source.testRunId, {
      evaluators: { fast: latency({ maxMs: 1e9 }), calls: ({ calls }) => calls().length === 0 },
    });
    expect(run.items[0]).toMatchObject({ verdict: 'same', scores: [] });
  });

  it('refuses a missing run, an unfinished run, and a call without evaluators', async () => {
    const body = JSON.stringify({ trace_function_key: key });
    const { id } = await ask<TestRunRecord>(API.testRuns.create.path, { method: 'POST', body });
    await expect(tracer.rescore(id, { evaluators: { long } })).rejects.toThrow('is not finished');
    const unknown = '01890000-0000-7000-8000-000000000000';
    await expect(tracer.rescore(unknown, { evaluators: { long } })).rejects.toThrow('not found');
    await expect(tracer.rescore(id, {} as never)).rejects.toThrow('rescore.evaluators is missing');
    await expect(tracer.rescore(id, { evaluators: { long }, repeat: 2 } as never)).rejects.toThrow('repeat');
  });

  it('is not resumed by a replay', async () => {
    record();
    const source = await evaluate((text) => text);
    const request = { trace_function_key: key, rescore_of: source.testRunId };
    const created = await ask<TestRunRecord>(API.testRuns.create.path, {
      method: 'POST',
      body: JSON.stringify(request),
    });
    await expect(tracer.replay(key, (text: string) => text, { resume: created.id })).rejects.toThrow(
      'plays nothing',
    );
  });
});
