import { startCollector } from '@dacapo/collector';
import { exact, Random } from '@dacapo/evaluation';
import type { Page, ScoreRecord, TestRunItemRecord, TestRunRecord } from '@dacapo/protocol';
import { Tracer } from '@dacapo/tracer';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { classifier, LABELLED } from './evaluation/labelled-texts.js';
import { removeFolder } from './support/remove-folder.js';

const LABEL_OF = new Map(LABELLED.map(({ text, label }) => [text, label]));

/** Compares with the labels, not with the recording. */
const accuracy = ({ input, output }: { input: unknown; output: string }): boolean =>
  output === LABEL_OF.get(String(input));

describe('an evaluation, from the tracer through a real collector and back', () => {
  let folder: string;
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let tracer: Tracer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dacapo-evaluation-'));
    collector = await startCollector({ port: 0, dataDir: join(folder, 'data') });
    tracer = new Tracer({ apiKey: collector.apiKey!, serviceUrl: collector.url });
  });

  afterAll(async () => {
    await tracer.shutdown();
    await collector.close();
    await removeFolder(folder);
  });

  const ask = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const headers = { 'api-key': collector.apiKey!, 'content-type': 'application/json' };
    return (await (await fetch(`${collector.url}/api/v1${path}`, { ...init, headers })).json()) as T;
  };

  /** Records all texts with the key. */
  const record = (key: string, classify: (text: string) => string): void => {
    const traced = tracer.withSpan(key, { type: 'llm' }, classify);
    for (const { text } of LABELLED) traced(text);
  };

  /** Answers like another function, except for one random answer in ten: like a model that is called twice. */
  const noisy = (classify: (text: string) => string, seed: number): ((text: string) => string) => {
    const random = new Random(seed);
    return (text) => (random.below(10) === 0 ? (LABELLED[random.below(40)]?.label ?? '') : classify(text));
  };

  it('distinguishes a worse, an equal and a better version of a classifier', async () => {
    record('triage', classifier(5));
    const judge = (classify: (text: string) => string) =>
      tracer.evaluate(classify, {
        data: { key: 'triage' },
        evaluators: { accuracy },
        gate: { scores: { accuracy: { maxDrop: 0 } } },
      });
    const worse = await judge(classifier(2));
    expect(worse).toMatchObject({ passed: false, scores: { accuracy: { mean: 19 / 40, better: 0 } } });
    expect(worse.failures).toEqual([
      expect.stringMatching(/^accuracy dropped by 0\.3 \(.*the gate allows 0\.$/),
    ]);
    expect(worse.scores['accuracy']?.worse).toHaveLength(12);

    const equal = await judge(noisy(classifier(5), 1));
    expect(equal).toMatchObject({ passed: true, failures: [] });
    const { interval } = equal.scores['accuracy']?.delta ?? {};
    expect([interval!.low <= 0, interval!.high >= 0]).toEqual([true, true]);

    const better = await judge(classifier(8));
    expect(better).toMatchObject({ passed: true, scores: { accuracy: { mean: 1, worse: [], better: 9 } } });
    // The gate needs evidence of a drop, and there is none.
    expect(better.scores['accuracy']?.delta?.p).toBe(1);
    expect(better.scores['accuracy']?.delta?.interval?.low).toBeGreaterThan(0);
  });

  it('stores the outputs of a baseline function, and that both durations are comparable', async () => {
    const run = await tracer.evaluate((text: string) => text.length, {
      data: [{ input: 'late' }, { input: 'twice' }],
      key: 'beside',
      baseline: { function: (text: string) => text.length + (text === 'late' ? 1 : 0), name: 'main' },
    });
    expect(run.totals).toMatchObject({ same: 1, changed: 1 });
    const path = `/test-runs/${run.testRunId}`;
    const { items } = await ask<Page<TestRunItemRecord>>(`${path}/items?payloads=true`);
    expect(items).toMatchObject([
      { baseline: 'function', verdict: 'changed', result: 4, original_output: 5, timing: 'paired' },
      { baseline: 'function', verdict: 'same', original_duration_ms: expect.any(Number) as number },
    ]);
    const summaries = await ask<Page<TestRunItemRecord>>(`${path}/items`);
    expect(summaries.items.map(({ timing }) => timing)).toEqual(['paired', 'paired']);
    expect((await ask<TestRunRecord>(path)).summary).toMatchObject({ version: 'main' });
  });

  it('returns the same result for a list with and without a service', async () => {
    const off = new Tracer({ enabled: false });
    const evaluate = (by: Tracer) =>
      by.evaluate(
        (text: string) => {
          if (text === LABELLED[3]?.text) throw new Error('down');
          return classifier(5)(text);
        },
        {
          key: 'list',
          data: LABELLED.map(({ text, label }) => ({ input: text, expected: label })),
          evaluators: [exact()],
          repeat: 2,
          gate: { changed: 10, errors: 2, scores: { exact: { min: 0.5 } } },
        },
      );
    const [inMemory, stored] = [await evaluate(off), await evaluate(tracer)];
    // Only the recorded calls show that no model ran.
    expect([inMemory.deterministic, stored.deterministic]).toEqual([undefined, true]);
    const pickFacts = ({ totals, scores, failures, passed, notes, warnings, items }: typeof stored) => ({
      totals,
      failures,
      passed,
      notes,
      warnings,
      scores: { ...scores, exact: { ...scores['exact'], interval: undefined } },
      verdicts: items.map(({ itemNo, repetition, verdict, flaky }) => [itemNo, repetition, verdict, flaky]),
    });
    expect(pickFacts(inMemory)).toEqual(pickFacts(stored));
    expect([inMemory.testRunUrl, stored.testRunUrl]).toEqual(['', expect.stringContaining('/test-runs/')]);
    expect(inMemory.passed).toBe(false);
  });

  it('passes unchanged code in at least 19 of 20 seeded runs against itself, and reports its noise', async () => {
    let passed = 0;
    for (let seed = 0; seed < 20; seed++) {
      const run = await tracer.evaluate(noisy(classifier(5), 100 + seed), {
        key: 'unchanged',
        data: LABELLED.map(({ text, label }) => ({ input: text, expected: label })),
        baseline: 'self',
        evaluators: [exact()],
        gate: { scores: { exact: { maxDrop: 0 } } },
        maxConcurrency: 1,
        keep: 'none',
      });
      if (run.passed === true) passed++;
      expect(run.noise?.changed.count).toBe(run.totals.changed);
      expect(run.noise?.scores['exact']?.n).toBe(40);
    }
    expect(passed).toBeGreaterThanOrEqual(19);
  });

  it('stores the scores, the figures and the decision of a list; a resumed run decides on all its items', async () => {
    const data = LABELLED.map(({ text, label }) => ({ input: text, expected: label }));
    const abort = new AbortController();
    const options = { key: 'listed', data, evaluators: [exact()], maxConcurrency: 2 };
    const cut = await tracer.evaluate(classifier(5), {
      ...options,
      signal: abort.signal,
      onItem: ({ itemNo }) => {
        if (itemNo === 11) abort.abort();
      },
    });
    expect(cut.status).toBe('interrupted');
    let replayed = 0;
    const run = await tracer.evaluate(
      (text: string) => {
        replayed++;
        return classifier(5)(text);
      },
      { ...options, resume: cut.testRunId, gate: { scores: { exact: { min: 0.9 } } } },
    );
    expect(replayed).toBe(40 - cut.totals.items);
    expect(run).toMatchObject({ status: 'finished', passed: false, totals: { items: 40, same: 31 } });
    expect(run.failures).toEqual(['exact is 0.775 over 40 items; the gate requires at least 0.9.']);
    const stored = await ask<TestRunRecord>(`/test-runs/${run.testRunId}`);
    expect(stored).toMatchObject({
      trace_function_key: 'listed',
      status: 'finished',
      expected_items: 40,
      summary: {
        passed: false,
        failures: run.failures,
        scores: { exact: { mean: 0.775, n: 40, missing: 0 } },
      },
    });
    const item = await ask<TestRunItemRecord>(`/test-runs/${run.testRunId}/items/0`);
    expect(item).toMatchObject({
      input: [LABELLED[0]!.text],
      result: 'billing',
      original_output: 'billing',
      baseline: 'expected',
      scores: [{ name: 'exact', value: true }],
    });
  });

  it('compares with accepted outcomes, and with an earlier run', async () => {
    record('moods', () => 'neutral');
    const first = await tracer.evaluate((text: string) => (text.includes('?') ? 'asking' : 'neutral'), {
      data: { key: 'moods', limit: 30 },
    });
    const changed = first.items.filter(({ verdict }) => verdict === 'changed');
    expect(changed.length).toBeGreaterThan(5);
    const [accepted, ...others] = changed;
    const accept = `/test-runs/${first.testRunId}/items/${accepted!.itemNo}/accept`;
    await ask(accept, { method: 'POST', body: JSON.stringify({ author: { kind: 'person', name: 'ann' } }) });

    const expected: unknown[] = [];
    const second = await tracer.evaluate((text: string) => (text.includes('?') ? 'asking' : 'neutral'), {
      data: { key: 'moods', limit: 30 },
      baseline: 'accepted',
      evaluators: {
        right({ output, expected: wanted, original }) {
          if (output === 'asking' && wanted === 'asking') expected.push(original);
          return output === wanted;
        },
      },
    });
    expect(second.totals).toMatchObject({ changed: others.length, accepted: 1 });
    expect(second.items[accepted!.itemNo]).toMatchObject({
      verdict: 'same',
      accepted: true,
      result: 'asking',
      originalOutput: 'asking',
      scores: [{ score: true }],
      originalScores: [{ score: true }],
    });
    expect(expected).toEqual(['neutral', 'neutral']);

    const third = await tracer.evaluate((text: string) => (text.includes('?') ? 'asking' : 'neutral'), {
      data: { key: 'moods', limit: 40 },
      baseline: { testRunId: first.testRunId },
      evaluators: { asking: ({ output }) => output === 'asking' },
    });
    expect(third.totals).toMatchObject({ items: 40, same: 30, unknown: 10 });
    expect(third.scores['asking']?.delta).toMatchObject({ n: 30, mean: 0 });
    expect(third.items.filter(({ verdict }) => verdict === 'unknown')[0]).not.toHaveProperty(
      'originalOutput',
    );
  });

  it('replays a dataset, compares two versions item by item, and uses the accepted outcome of an example', async () => {
    await tracer.datasets.create('queues');
    const entries = LABELLED.map(({ text, label }) => ({
      input: text,
      expected: label,
      metadata: { label },
    }));
    await tracer.datasets.add('queues', entries);
    const options = {
      key: 'queue',
      data: { dataset: 'queues' },
      evaluators: { right: exact(), known: accuracy },
      gate: { scores: { right: { maxDrop: 0 } } },
    };
    const first = await tracer.evaluate(classifier(5), options);
    expect(first.totals).toMatchObject({ items: 40, same: 31, changed: 9, missing: 0 });
    expect(first.failures).toEqual(['right has no baseline to compare with.']);
    expect(first.items[0]).toMatchObject({ input: [LABELLED[0]!.text], originalOutput: 'billing' });

    const earlier = { testRunId: first.testRunId };
    const better = await tracer.evaluate(classifier(8), { ...options, baseline: earlier });
    expect(better).toMatchObject({ passed: true, totals: { items: 40, same: 31, changed: 9, unknown: 0 } });
    expect(better.scores['right']).toMatchObject({ mean: 1, delta: { n: 40, mean: 9 / 40 }, better: 9 });
    const worse = await tracer.evaluate(classifier(2), { ...options, baseline: earlier });
    expect(worse).toMatchObject({ passed: false, scores: { right: { mean: 19 / 40 } } });

    const { itemNo } = first.items.find(({ verdict }) => verdict === 'changed')!;
    await ask(`/test-runs/${first.testRunId}/items/${itemNo}/accept`, { method: 'POST', body: '{}' });
    const again = await tracer.evaluate(classifier(5), { ...options, baseline: 'accepted' });
    expect(again.totals).toMatchObject({ same: 32, changed: 8, accepted: 1 });
    const item = await ask<TestRunItemRecord>(`/test-runs/${again.testRunId}/items/${itemNo}`);
    expect(item).toMatchObject({ baseline: 'accepted', accepted: true, input: [LABELLED[itemNo]!.text] });
  });

  it('scores the recorded call behind an example, and answers inner calls from it', async () => {
    const looked: string[] = [];
    const build = (version: string): ((text: string) => Promise<string>) => {
      const look = tracer.withSpan('shop.look', (text: string) => {
        looked.push(`${version} ${text}`);
        return text.length;
      });
      return tracer.withSpan('shop', async (text: string) => Promise.resolve(`${version} ${look(text)}`));
    };
    await build('old')('lamp');
    await tracer.flush();
    await tracer.datasets.create('lamps');
    await tracer.datasets.add('lamps', { key: 'shop' });
    const run = await tracer.evaluate(build('new'), {
      data: { dataset: 'lamps', version: 1 },
      mock: 'all',
      evaluators: { isNew: ({ output }) => output.startsWith('new') },
    });
    expect(looked).toEqual(['old lamp']);
    expect(run.items[0]).toMatchObject({
      input: ['lamp'],
      result: 'new 4',
      originalOutput: 'old 4',
      verdict: 'changed',
      divergences: [],
      scores: [{ score: true }],
      originalScores: [{ score: false }],
    });
    await expect(tracer.evaluate(build('new'), { data: { dataset: 'lambs' } })).rejects.toMatchObject({
      code: 'TRACER_SERVICE_RESPONSE',
    });
  });

  it('detects a changed or missing return value of a generator with every baseline', async () => {
    const build = (returned: number | undefined) =>
      tracer.withSpan('stages', function* (text: string): Generator<number, number | undefined> {
        yield text.length;
        return returned;
      });
    Array.from(build(42)('abc'));
    await tracer.flush();
    const getVerdicts = async (options: object): Promise<Record<string, string | undefined>> => {
      const verdicts: Record<string, string | undefined> = {};
      for (const returned of [42, 43, undefined]) {
        const { items } = await tracer.evaluate(build(returned), options as { data: { key: string } });
        verdicts[String(returned)] = items[0]?.verdict;
      }
      return verdicts;
    };
    const expectedFromOther = { 42: 'changed', 43: 'same', undefined: 'changed' };
    const ofRecorded = { 42: 'same', 43: 'changed', undefined: 'changed' };
    const data = { key: 'stages' };
    const other = await tracer.evaluate(build(43), { data });
    expect(await getVerdicts({ data, baseline: { testRunId: other.testRunId } })).toEqual(expectedFromOther);

    const { sourceTraceId: source_trace_id, sourceSpanId: source_span_id } = other.items[0]!;
    const old = await ask<TestRunRecord>('/test-runs', {
      method: 'POST',
      body: JSON.stringify({ trace_function_key: 'stages', selection: {} }),
    });
    const reported = { item_no: 0, source_trace_id, source_span_id, result: [3], verdict: 'same' };
    await ask(`/test-runs/${old.id}/items`, { method: 'POST', body: JSON.stringify({ items: [reported] }) });
    expect(await getVerdicts({ data, baseline: { testRunId: old.id } })).toEqual({
      42: 'unknown',
      43: 'unknown',
      undefined: 'unknown',
    });

    await tracer.datasets.create('stages-of-calls');
    await tracer.datasets.add('stages-of-calls', data);
    expect(await getVerdicts({ data: { dataset: 'stages-of-calls' } })).toEqual(ofRecorded);
    await tracer.datasets.create('stages-of-runs');
    await tracer.datasets.add('stages-of-runs', { testRunId: other.testRunId });
    expect(await getVerdicts({ data: { dataset: 'stages-of-runs' } })).toEqual(ofRecorded);

    await ask(`/test-runs/${other.testRunId}/items/0/accept`, { method: 'POST', body: '{}' });
    expect(await getVerdicts({ data, baseline: 'accepted' })).toEqual(expectedFromOther);
    await tracer.datasets.create('stages-accepted');
    await tracer.datasets.add('stages-accepted', { testRunId: other.testRunId });
    expect(await getVerdicts({ data: { dataset: 'stages-accepted' } })).toEqual(expectedFromOther);
  });

  it('delivers scores from people and programs', async () => {
    const traced = tracer.withSpan('scored', () => {
      tracer.getCurrentSpan().score('helpful', true, { author: { kind: 'person', name: 'ann' } });
      return tracer.getCurrentSpan();
    });
    const { traceId, spanId } = traced();
    tracer.score({ traceId }, { name: 'tone', value: 'kind', explanation: 'it said please' });
    tracer.score({ sessionId: 'ann' }, { name: 'solved', value: 0.5 });
    expect(await tracer.flush()).toBe(true);
    const { items } = await ask<Page<ScoreRecord>>(`/scores?trace_id=${traceId}`);
    expect(items.map(({ name, value, span_id }) => [name, value, span_id])).toEqual(
      expect.arrayContaining([
        ['helpful', true, spanId],
        ['tone', 'kind', undefined],
      ]),
    );
    const ofSession = await ask<Page<ScoreRecord>>('/scores?session_id=ann');
    expect(ofSession.items).toMatchObject([{ name: 'solved', value: 0.5, author: { kind: 'program' } }]);
    expect(tracer.stats()).toMatchObject({ waiting: 0 });
  });
});
