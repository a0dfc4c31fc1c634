import { startCollector } from '@dacapo/collector';
import { type Evaluator, type EvaluatorContext, judge } from '@dacapo/evaluation';
import { type Page, type TestRunItemRecord } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { type EvaluateOptions, type ReplayResult, Tracer } from '@dacapo/tracer';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from './support/remove-folder.js';

const ANSWERS = ['billing', 'other'];
type Options = Partial<EvaluateOptions<[string], string>>;

describe('scores of baselines, reused by later runs', () => {
  let folder: string;
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let tracer: Tracer;
  let keys = 0;
  let key: string;
  let prompts: string[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dacapo-reused-scores-'));
    collector = await startCollector({ port: 0, dataDir: join(folder, 'data') });
    tracer = new Tracer({ apiKey: collector.apiKey!, serviceUrl: collector.url });
  });

  afterAll(async () => {
    await tracer.shutdown();
    await collector.close();
    await removeFolder(folder);
  });

  beforeEach(() => {
    key = `desk-${++keys}`;
    prompts = [];
  });

  const ask = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const headers = { 'api-key': collector.apiKey!, 'content-type': 'application/json' };
    return (await (await fetch(`${collector.url}${path}`, { ...init, headers })).json()) as T;
  };

  const record = (): void => {
    const traced = tracer.withSpan(key, (text: string) => {
      tracer.getCurrentTrace().setMetadata({ tier: 'gold' });
      return text === 'charged' ? 'billing' : 'other';
    });
    for (const text of ['charged', 'late']) traced(text);
  };

  /** Notes its inputs. */
  const polite = (version: string | null = 'model 1'): Evaluator<[string], string> =>
    Object.assign(
      ({ output }: EvaluatorContext<[string], string>) => {
        prompts.push(output);
        return { score: output.length / 10, label: 'l', explanation: `of ${output}` };
      },
      version === null ? {} : { version },
    );

  const evaluate = async (
    evaluator: Evaluator<[string], string>,
    options: Options = {},
  ): Promise<ReplayResult> => {
    prompts = [];
    return tracer.evaluate((text: string) => `now ${text}`, {
      data: { key },
      evaluators: { polite: evaluator },
      ...options,
    });
  };
  /** Baselines that were scored, not reused. */
  const listRejudged = (): string[] => prompts.filter((output) => ANSWERS.includes(output)).sort();

  it('scores a baseline once, and marks and counts reused scores', async () => {
    record();
    const first = await evaluate(polite());
    expect(listRejudged()).toEqual(ANSWERS);
    expect(first.scores['polite']).not.toHaveProperty('reused');
    const second = await evaluate(polite());
    expect(listRejudged()).toEqual([]);
    expect(prompts).toHaveLength(2);
    expect(second.scores['polite']).toMatchObject({ reused: 2, delta: first.scores['polite']!.delta });
    expect(second.toMarkdown()).toContain('2 reused');
    expect(second.items.map(({ originalScores }) => originalScores)).toMatchObject([
      [{ name: 'polite', score: 0.5, label: 'l', explanation: 'of other', reused: true }],
      [{ name: 'polite', score: 0.7, label: 'l', explanation: 'of billing', reused: true }],
    ]);
    const path = routePath(API.testRuns.report, { id: second.testRunId });
    const { items } = await ask<Page<TestRunItemRecord>>(`${path}?payloads=true`);
    expect(items[0]?.original_scores).toMatchObject([{ value: 0.5, reused: true }]);
    expect(items[0]).not.toHaveProperty('baseline_hash');
  });

  it('scores again without a version, and with another version', async () => {
    record();
    await evaluate(polite(null));
    await evaluate(polite(null));
    expect(listRejudged()).toEqual(ANSWERS);
    await evaluate(polite('model 1'));
    expect(listRejudged()).toEqual(ANSWERS);
    await evaluate(polite('model 2'));
    expect(listRejudged()).toEqual(ANSWERS);
    await evaluate(polite('model 1'));
    expect(listRejudged()).toEqual([]);
  });

  it('scores again with another name', async () => {
    record();
    await evaluate(polite());
    await evaluate(polite(), { evaluators: { kind: polite() } });
    expect(listRejudged()).toEqual(ANSWERS);
  });

  it('runs only evaluators without a stored score', async () => {
    record();
    await evaluate(polite());
    const run = await evaluate(polite(), { evaluators: { polite: polite(), kind: polite() } });
    expect(listRejudged()).toEqual(ANSWERS);
    expect(run.scores).toMatchObject({ polite: { reused: 2 }, kind: { n: 2 } });
    expect(run.scores['kind']).not.toHaveProperty('reused');
    const both = await evaluate(polite(), { evaluators: { polite: polite(), kind: polite() } });
    expect(both.scores).toMatchObject({ polite: { reused: 2 }, kind: { reused: 2 } });
  });

  it('scores a newly recorded call again although its content is the same', async () => {
    record();
    await evaluate(polite());
    record();
    await evaluate(polite());
    expect(listRejudged()).toEqual(ANSWERS);
  });

  it('reuses scores with another `ignore` and `same`, which evaluators do not see', async () => {
    record();
    await evaluate(polite());
    await evaluate(polite(), { ignore: ['$.id'], same: () => true });
    expect(listRejudged()).toEqual([]);
  });

  it('scores again after a person accepted another outcome', async () => {
    record();
    const { testRunId } = await evaluate(polite(), { baseline: 'accepted' });
    await evaluate(polite(), { baseline: 'accepted' });
    expect(listRejudged()).toEqual([]);
    await ask(routePath(API.testRuns.accept, { id: testRunId, item_no: '0' }), {
      method: 'POST',
      body: '{}',
    });
    const run = await evaluate(polite(), { baseline: 'accepted' });
    expect(listRejudged()).toEqual([]);
    expect(prompts).toContain('now late');
    expect(run.items[0]?.originalScores).toEqual([
      expect.objectContaining({ score: 0.8, explanation: 'of now late' }),
    ]);
    expect(run.items[0]?.originalScores?.[0]).not.toHaveProperty('reused');
    expect(run.items[1]?.originalScores?.[0]).toHaveProperty('reused', true);
  });

  it('scores again for another dataset with a copy of the same call', async () => {
    const expecting = async (expected: string): Promise<ReplayResult> => {
      const name = `${key}-${expected}`;
      const headers = { method: 'POST' };
      await ask(API.datasets.create.path, { ...headers, body: JSON.stringify({ name }) });
      const body = { from_calls: { trace_function_key: key, selection: { limit: 1 } } };
      const versions = routePath(API.datasets.addVersion, { name });
      await ask(versions, { ...headers, body: JSON.stringify(body) });
      return evaluate(polite(), { data: { dataset: name }, key });
    };
    record();
    await tracer.flush();
    await expecting('one');
    expect(listRejudged()).toEqual(['other']);
    await expecting('two');
    expect(listRejudged()).toEqual(['other']);
  });

  it('never reuses scores of a baseline that ran in this process', async () => {
    record();
    await evaluate(polite(), { baseline: 'self' });
    await evaluate(polite(), { baseline: 'self' });
    expect(prompts).toHaveLength(4);
  });

  it('scores a failed baseline once the evaluator has recovered, and then reuses the score', async () => {
    const traced = tracer.withSpan(key, (text: string): string => {
      throw new Error(text);
    });
    expect(() => traced('late')).toThrow('late');
    let isDown = true;
    const scores: unknown[] = [];
    const whenUp: Evaluator<[string], string> = Object.assign(
      ({ error }: EvaluatorContext<[string], string>) => {
        if (isDown) throw new Error('the judge is down');
        scores.push(error);
        return 0;
      },
      { version: '1' },
    );
    await evaluate(whenUp);
    isDown = false;
    await evaluate(whenUp);
    expect(scores).toContainEqual(expect.objectContaining({ message: 'late' }));
    const count = scores.length;
    await evaluate(whenUp);
    expect(scores).toHaveLength(count + 1);
  });

  it('scores again when the choices or the `ask` text of a judge change', async () => {
    record();
    const judging = (choices: Record<string, number>, answer = 'yes') =>
      judge<[string], string>({
        name: 'polite',
        version: 'model 1',
        choices,
        ask:
          answer === 'yes'
            ? ({ output }) => (prompts.push(output), 'Yes.')
            : ({ output }) => (prompts.push(output), 'no'),
      });
    await evaluate(judging({ yes: 1, no: 0 }));
    await evaluate(judging({ yes: 1, no: 0 }));
    expect(listRejudged()).toEqual([]);
    await evaluate(judging({ yes: 0.5, no: 0 }));
    expect(listRejudged()).toEqual(ANSWERS);
    await evaluate(judging({ yes: 1, no: 0 }, 'no'));
    expect(listRejudged()).toEqual(ANSWERS);
  });

  it('deletes scores with their call', async () => {
    record();
    const { testRunId } = await evaluate(polite());
    const path = routePath(API.testRuns.report, { id: testRunId });
    const { items } = await ask<Page<TestRunItemRecord>>(`${path}?payloads=true`);
    const stored = (hash = ''): Promise<object> => ask(`${API.testRuns.baselineScores.path}?hash=${hash}`);
    expect(await stored(items[0]?.baseline_hash)).toMatchObject({ scores: [{ name: 'polite' }] });
    const deletion = JSON.stringify({ trace_ids: [items[0]?.source_trace_id] });
    const { id } = await ask<{ id: string }>(API.deletions.create.path, { method: 'POST', body: deletion });
    for (let state = ''; state !== 'done';)
      ({ state } = await ask<{ state: string }>(routePath(API.deletions.get, { id })));
    expect(await stored(items[0]?.baseline_hash)).toEqual({ scores: [] });
    expect(await stored(items[1]?.baseline_hash)).toMatchObject({ scores: [{ name: 'polite' }] });
  });
});
