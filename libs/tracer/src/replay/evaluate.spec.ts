import { type Call, exact, type EvaluatorContext, latency } from '@dacapo/evaluation';
import { ExactMatch, Levenshtein } from 'autoevals';
import { startStoredSpansService, type StoredSpansService } from '../../test/service/stored-spans-service.js';
import { createTestTracer, type TestTracer } from '../testing.js';

const LABELS = { late: 'delivery', twice: 'billing', lost: 'delivery', why: 'other' };
type Text = keyof typeof LABELS;

describe('an evaluation', () => {
  let recorded: TestTracer;
  let test: TestTracer;
  let service: StoredSpansService;

  beforeEach(async () => {
    recorded = createTestTracer();
    service = await startStoredSpansService(recorded.spans);
    test = createTestTracer({ serviceUrl: service.url, logger: { warn: () => undefined } });
  });

  afterEach(() => service.close());

  const accuracy = ({ input, output }: { input: unknown; output: string }): boolean =>
    output === LABELS[input as Text];

  /** Records each text once, answered by `desk`. */
  const record = async (desk: (text: Text) => unknown, texts: Text[] = ['late', 'twice', 'lost', 'why']) => {
    const traced = recorded.tracer.withSpan('desk', desk);
    for (const text of texts) {
      try {
        await traced(text);
      } catch {
        // That is what is recorded.
      }
    }
  };

  describe('of recorded calls', () => {
    it('judges the new outcomes and the recorded ones, so that scores have a difference', async () => {
      await record(() => 'delivery');
      const run = await test.tracer.evaluate((text: Text) => LABELS[text], {
        data: { key: 'desk' },
        evaluators: { accuracy },
        gate: { scores: { accuracy: { min: 1 } } },
      });
      expect(run.scores['accuracy']).toMatchObject({ mean: 1, n: 4, delta: { mean: 0.5, n: 4 }, better: 2 });
      expect(run).toMatchObject({ passed: true, failures: [], totals: { items: 4, same: 2, changed: 2 } });
      expect(run.items[1]).toMatchObject({
        scores: [{ name: 'accuracy', score: true }],
        originalScores: [{ name: 'accuracy', score: false }],
      });
      expect(service.created).toEqual([{ trace_function_key: 'desk', selection: {} }]);
      expect(service.reports[1]).toMatchObject({
        scores: [{ name: 'accuracy', value: true }],
        original_scores: [{ name: 'accuracy', value: false }],
      });
      expect(service.finished).toMatchObject([
        {
          status: 'finished',
          summary: {
            passed: true,
            failures: [],
            totals: { items: 4 },
            gate: { scores: { accuracy: { min: 1 } } },
            scores: { accuracy: { mean: 1, delta: { mean: 0.5 } } },
          },
        },
      ]);
      expect(run.toMarkdown()).toContain('accuracy');
      expect(run.toJUnit()).toContain('<testsuite');
    });

    it('is replay with the same options: a worse version fails the gate, which lists the calls', async () => {
      await record((text) => LABELS[text]);
      const run = await test.tracer.replay(
        'desk',
        (text: Text) => (text === 'why' ? LABELS[text] : 'other'),
        {
          evaluators: [accuracy],
          gate: { scores: { accuracy: { min: 0.9 } } },
        },
      );
      expect(run.passed).toBe(false);
      expect(run.failures).toEqual(['accuracy is 0.25 over 4 items; the gate requires at least 0.9.']);
      expect(run.scores['accuracy']?.worse).toHaveLength(3);
    });

    it('passes evaluators the argument, the recording, the inner calls and their facts', async () => {
      const build = ({ tracer }: TestTracer, model: string) => {
        const ask = tracer.withSpan('ask', { type: 'llm' }, (text: string) => `${model} of ${text}`);
        const check = tracer.withSpan('check', { type: 'guardrail' }, (text: string) => {
          if (text === 'twice') throw new RangeError('no');
          return true;
        });
        return tracer.withSpan('desk', (text: Text) => {
          check(text);
          return ask(text);
        });
      };
      build(recorded, 'old')('late');
      const seen: { now: unknown; calls: Call[]; asked: number }[] = [];
      const look = ({ calls, signal, ...now }: EvaluatorContext): number => {
        seen.push({ now, calls: calls(), asked: calls('ask').length });
        return signal === undefined ? 0 : 1;
      };
      await test.tracer.evaluate(build(test, 'new'), { data: { key: 'desk' }, evaluators: { look } });
      const shared = { input: 'late', args: ['late'], expected: 'old of late', original: 'old of late' };
      expect(seen).toMatchObject([
        { now: { ...shared, output: 'new of late', verdict: 'changed', divergences: [] }, asked: 1 },
        { now: { ...shared, output: 'old of late', verdict: 'same', divergences: [] }, asked: 1 },
      ]);
      expect(seen[0]?.calls).toMatchObject([
        { key: 'check', type: 'guardrail', path: ['check'], args: ['late'], output: true },
        { key: 'ask', type: 'llm', path: ['ask'], args: ['late'], output: 'new of late' },
      ]);
      expect(seen[1]?.calls[1]).toMatchObject({ key: 'ask', output: 'old of late' });
      expect(seen[0]?.now).toMatchObject({ durationMs: expect.any(Number) });
    });

    it('judges a call that threw: evaluators get the error, on both sides', async () => {
      const fail = (): never => {
        throw new RangeError('no');
      };
      await record(fail, ['late']);
      const errors: unknown[] = [];
      const run = await test.tracer.evaluate(fail, {
        data: { key: 'desk' },
        evaluators: { tells: (context) => 'error' in context && errors.push(context.error) > 0 },
      });
      expect(errors).toMatchObject([{ message: 'no' }, { message: 'no' }]);
      expect(run.items[0]).toMatchObject({ verdict: 'same', failingAsBefore: true });
    });

    it('answers no call of an evaluator from the recording, counts none, and records them for the run', async () => {
      const shop = ({ tracer }: TestTracer, price: number) => {
        const ask = tracer.withSpan('price', { type: 'llm' }, () => price);
        return { ask, desk: tracer.withSpan('desk', (text: Text) => (text === 'why' ? 0 : ask())) };
      };
      shop(recorded, 1).desk('late');
      const { ask, desk } = shop(test, 2);
      const { items, ranLive } = await test.tracer.evaluate(desk, {
        data: { key: 'desk' },
        mock: 'all',
        network: 'deny',
        evaluators: {
          async asked() {
            const { ok } = await fetch(`${service.url}/api/v1/test-runs?limit=1`);
            return ok ? ask() : 0;
          },
        },
      });
      expect(items[0]).toMatchObject({ result: 1, verdict: 'same', divergences: [], scores: [{ score: 2 }] });
      expect(items[0]).not.toHaveProperty('deniedConnections');
      expect(ranLive).toEqual({});
      const judged = test.spans.filter(({ trace_id }) => trace_id !== items[0]!.traceId);
      expect(judged).toMatchObject([
        { trace_function_key: 'price', test_run_id: 'run-1', span_data: { output: 2 } },
        { trace_function_key: 'price', test_run_id: 'run-1', span_data: { output: 2 } },
      ]);
      expect(judged[0]).not.toHaveProperty('source_span_id');
    });

    it('keeps failures: other outcomes, and scores that are false or lower', async () => {
      await record((text) => LABELS[text]);
      const run = await test.tracer.evaluate((text: Text) => LABELS[text], {
        data: { key: 'desk' },
        keep: 'failed',
        evaluators: {
          short: ({ input }) => input !== 'late',
          again: ({ input, verdict }) => (input === 'twice' && verdict === 'same' ? 0.5 : 1),
        },
      });
      expect(run.items.map(({ input: [text] }) => text)).toEqual(['late']);
      expect(run.totals.items).toBe(4);
    });
  });

  describe('of a list', () => {
    const data = (['late', 'twice', 'lost', 'why'] as const).map((input) => ({
      input,
      expected: LABELS[input],
      metadata: { length: input.length },
    }));

    it('accepts scorers of autoevals unchanged', async () => {
      const run = await test.tracer.evaluate((word: string) => word.replace('s', 'k'), {
        key: 'spell',
        data: [
          { input: 'sitten', expected: 'sitting' },
          { input: 'sit', expected: 'kit' },
        ],
        evaluators: [Levenshtein, ExactMatch],
      });
      expect(run.scores['Levenshtein']!.mean).toBeCloseTo((1 - 3 / 7 + 1) / 2, 9);
      expect(run.scores).toMatchObject({ ExactMatch: { mean: 0.5, n: 2 } });
    });

    it('compares with the expected value, and sends arguments, expectation and scores to the service', async () => {
      const run = await test.tracer.evaluate(
        function triage(text: Text): string {
          return text === 'why' ? 'billing' : LABELS[text];
        },
        {
          data,
          evaluators: { exact: exact(), long: ({ metadata }) => metadata['length'] === 4 },
          gate: { changed: 0 },
        },
      );
      expect(run.totals).toMatchObject({ items: 4, same: 3, changed: 1 });
      expect(run.failures).toEqual(['1 of 4 items changed; the gate allows none.']);
      expect(run.scores).toMatchObject({ exact: { mean: 0.75, n: 4 }, long: { mean: 0.5 } });
      expect(run.scores['exact']).not.toHaveProperty('delta');
      expect(run.items[3]).toMatchObject({ input: ['why'], result: 'billing', originalOutput: 'other' });
      expect(service.created).toEqual([{ trace_function_key: 'triage' }]);
      expect(service.finished).toMatchObject([{ status: 'finished', expected_items: 4 }]);
      expect(service.reports[3]).toMatchObject({
        item_no: 3,
        verdict: 'changed',
        baseline: 'expected',
        input: ['why'],
        result: 'billing',
        original_output: 'other',
      });
      expect(service.reports[3]).not.toHaveProperty('source_trace_id');
      expect(test.spans[0]).toMatchObject({ trace_function_key: 'triage', test_run_id: 'run-1' });
      expect(test.spans[0]).not.toHaveProperty('source_span_id');
    });

    it('reports only scores for an item without an expectation', async () => {
      const run = await test.tracer.evaluate((text: string, times: number) => text.repeat(times), {
        key: 'repeat',
        data: [{ args: ['a', 2] }, { args: ['b', 3] }],
        evaluators: { two: ({ output, input }) => output.length === 2 && Array.isArray(input) },
        gate: { errors: 0, scores: { two: { min: 0.5 } } },
      });
      expect(run).toMatchObject({ passed: true, totals: { items: 2, unknown: 2 } });
      expect(run.items[0]).not.toHaveProperty('originalOutput');
      expect(run.items[0]).not.toHaveProperty('originalScores');
    });

    it('is typed by the function', async () => {
      const run = await test.tracer.evaluate(async (ticket: { id: number }) => Promise.resolve(ticket.id), {
        key: 'typed',
        data: [{ input: { id: 1 }, expected: 1 }],
        evaluators: [
          latency({ maxMs: 60_000 }),
          function close({ args: [{ id }], output, expected = 0 }) {
            return id + output - expected;
          },
        ],
        onItem: ({ input: [{ id }], result = 0 }) => id + result,
      });
      const [{ id }] = run.items[0]!.input;
      const result: number | undefined = run.items[0]!.result;
      expect([id, result]).toEqual([1, 1]);
      const wrong = (): unknown =>
        // @ts-expect-error: the function takes no text
        test.tracer.evaluate((ticket: { id: number }) => ticket.id, { data: [{ input: 'one' }] });
      const unexpected = (): unknown =>
        // @ts-expect-error: the function gives a number
        test.tracer.evaluate((id: number) => id, { data: [{ input: 1, expected: 'one' }] });
      expect([wrong, unexpected]).toHaveLength(2);
    });

    it('gives each repetition its own arguments', async () => {
      const run = await test.tracer.evaluate(
        function push(list: number[]): number {
          return list.push(0);
        },
        { data: [{ input: [1], expected: 2 }], repeat: 3 },
      );
      expect(run.items.map(({ result, input }) => [result, input])).toEqual([
        [2, [[1]]],
        [2, [[1]]],
        [2, [[1]]],
      ]);
    });

    it('passes on values that cannot be copied', async () => {
      const log: string[] = [];
      await test.tracer.evaluate((say: (text: string) => unknown) => say('hi'), {
        key: 'say',
        data: [{ input: (text: string) => log.push(text) }],
      });
      expect(log).toEqual(['hi']);
    });
  });

  describe('with evaluators that fail', () => {
    const data = [{ input: 'late' as const }];
    const desk = (text: Text): string => LABELS[text];

    it('makes the item an error, never 0, and keeps the other scores', async () => {
      const cause = new Error('no model');
      const run = await test.tracer.evaluate(desk, {
        data,
        evaluators: {
          broken: () => Promise.reject(cause),
          fine: () => 1,
        },
        gate: { scores: { broken: { min: 0 } } },
      });
      expect(run.totals).toMatchObject({ items: 1, error: 1, newErrors: 1 });
      expect(run.items[0]).toMatchObject({
        verdict: 'error',
        newError: true,
        result: 'delivery',
        error: { code: 'EVALUATION_EVALUATOR_FAILED', evaluator: 'broken', cause },
        scores: [{ name: 'fine', score: 1 }],
      });
      expect(run.failures).toEqual([
        '1 of 1 item fails and did not fail before. Fix it, or set errors to allow a number.',
        expect.stringContaining('The run has no score broken'),
      ]);
      expect(service.reports[0]).toMatchObject({
        verdict: 'error',
        error: { name: 'EvaluatorFailedError' },
        scores: [{ name: 'fine', value: 1 }],
      });
    });

    it('waits for none longer than timeoutMs, and aborts it', async () => {
      let reported: unknown;
      const run = await test.tracer.evaluate(desk, {
        data,
        timeoutMs: 500,
        evaluators: {
          stuck: ({ signal }) =>
            new Promise(() => {
              signal?.addEventListener('abort', () => (reported = signal.reason));
            }),
        },
      });
      expect(run.items[0]).toMatchObject({
        verdict: 'error',
        error: { evaluator: 'stuck', cause: { code: 'TRACER_EVALUATOR_TIMEOUT' } },
      });
      expect(reported).toMatchObject({ code: 'TRACER_EVALUATOR_TIMEOUT' });
    });

    it('does not report an item that a signal cut off: it is judged when the run is resumed', async () => {
      const abort = new AbortController();
      const list = [...data, { input: 'why' as const }];
      const cut = await test.tracer.evaluate(desk, {
        data: list,
        maxConcurrency: 1,
        signal: abort.signal,
        evaluators: {
          async judge({ input, signal }) {
            if (input === 'late') return 1;
            abort.abort(new Error('enough'));
            await Promise.resolve();
            return Promise.reject(signal?.reason as Error);
          },
        },
      });
      expect(cut).toMatchObject({ status: 'interrupted', totals: { items: 1, missing: 1, error: 0 } });
      expect(service.reports.map(({ item_no }) => item_no)).toEqual([0]);
      const rest = await test.tracer.evaluate(desk, {
        data: list,
        resume: cut.testRunId,
        evaluators: { judge: () => 0 },
      });
      expect(service.reports.map(({ item_no }) => item_no)).toEqual([0, 1]);
      expect(rest).toMatchObject({ status: 'finished', totals: { items: 2 } });
      expect(rest.scores['judge']).toMatchObject({ mean: 0.5, n: 2, missing: 0 });
    });

    it('does not judge unknown parts of the recording', async () => {
      recorded = createTestTracer({ capture: { output: false } });
      await service.close();
      service = await startStoredSpansService(recorded.spans);
      test = createTestTracer({ serviceUrl: service.url });
      await record(desk, ['late']);
      const run = await test.tracer.evaluate(desk, { data: { key: 'desk' }, evaluators: { accuracy } });
      expect(run.items[0]).toMatchObject({ verdict: 'unknown', scores: [{ score: true }] });
      expect(run.items[0]).not.toHaveProperty('originalScores');
    });
  });

  describe('repeated', () => {
    it('reports how often each item passes, and which are flaky', async () => {
      let calls = 0;
      const run = await test.tracer.evaluate(
        (text: Text) => (text === 'why' && calls++ % 2 === 0 ? 'billing' : LABELS[text]),
        {
          key: 'desk',
          data: [
            { input: 'late', expected: 'delivery' },
            { input: 'why', expected: 'other' },
          ],
          repeat: 4,
          evaluators: [exact()],
        },
      );
      expect(run.totals).toMatchObject({ items: 8, same: 6, changed: 2, flaky: 1 });
      expect(run.repeats).toMatchObject({ same: { k: 4, items: 2, passAtK: 1, passHatK: 0.5, flaky: 1 } });
      expect(run.items.map(({ itemNo, repetition, flaky = false }) => [itemNo, repetition, flaky])).toEqual([
        ...[0, 1, 2, 3].map((repetition) => [0, repetition, false]),
        ...[0, 1, 2, 3].map((repetition) => [1, repetition, true]),
      ]);
      expect(service.reports.map(({ item_no, repetition }) => `${item_no}/${repetition}`).sort()).toEqual([
        '0/0',
        '0/1',
        '0/2',
        '0/3',
        '1/0',
        '1/1',
        '1/2',
        '1/3',
      ]);
    });

    it('replays only the unreported repetitions when it is resumed', async () => {
      await record((text) => LABELS[text], ['late', 'why']);
      const abort = new AbortController();
      let calls = 0;
      const options = { data: { key: 'desk' }, repeat: 3, maxConcurrency: 1 };
      const cut = await test.tracer.evaluate(
        (text: Text) => {
          if (++calls === 2) abort.abort();
          return LABELS[text];
        },
        { ...options, signal: abort.signal },
      );
      expect(cut.totals).toMatchObject({ items: 2, missing: 4 });
      const rest = await test.tracer.evaluate(
        (text: Text) => {
          calls++;
          return LABELS[text];
        },
        { ...options, resume: cut.testRunId },
      );
      await expect(
        test.tracer.evaluate((text: Text) => text, { ...options, repeat: 2, resume: cut.testRunId }),
      ).rejects.toThrow('the run replays each item 3 times');
      expect(calls).toBe(6);
      expect(rest.totals).toMatchObject({ items: 6, same: 6, missing: 0 });
    });
  });

  describe('against itself', () => {
    it('compares each call with another replay of it, and reports the noise', async () => {
      await record((text) => LABELS[text]);
      let calls = 0;
      const run = await test.tracer.evaluate((text: Text) => (text === 'why' ? `${++calls}` : 'new'), {
        data: { key: 'desk' },
        baseline: 'self',
        evaluators: { length: ({ output }) => output.length, odd: ({ output }) => Number(output) % 2 === 1 },
      });
      expect(run.totals).toMatchObject({ items: 4, same: 3, changed: 1 });
      expect(run.noise).toMatchObject({
        items: 4,
        changed: { count: 1, rate: 0.25 },
        scores: { length: { n: 4, mean: 0, standardDeviation: 0 }, odd: { n: 4, mean: 0.25 } },
      });
      expect(run.items[3]).toMatchObject({ result: '1', originalOutput: '2' });
      expect(service.reports.find(({ item_no }) => item_no === 3)).toMatchObject({
        baseline: 'self',
        original_output: '2',
        original_duration_ms: expect.any(Number),
      });
    });

    it('reports an error when a call cannot be replayed at all', async () => {
      const run = await test.tracer.evaluate((text: Text) => LABELS[text], {
        data: { key: 'desk', traceIds: ['01890000-0000-7000-8000-000000000000'] },
        baseline: 'self',
      });
      expect(run.totals).toMatchObject({ items: 1, error: 1, same: 0 });
    });
  });

  describe('that cannot work', () => {
    const desk = (text: string): string => text;
    const data = [{ input: 'late' }];

    it.each<[string, object, object]>([
      [
        'a misspelt limit',
        { gate: { error: 0 } },
        { code: 'EVALUATION_INVALID_ARGUMENT', argument: 'gate.error' },
      ],
      [
        'two evaluators of one name',
        { evaluators: [exact(), exact()] },
        { code: 'EVALUATION_INVALID_ARGUMENT' },
      ],
      ['an evaluator that is none', { evaluators: { exact: 1 } }, { code: 'EVALUATION_INVALID_ARGUMENT' }],
      [
        'an unknown option',
        { evaluator: [] },
        { message: expect.stringContaining('Did you mean evaluators?') },
      ],
      ['a baseline that there is not', { baseline: 'best' }, { code: 'TRACER_INVALID_OPTION' }],
      ['no repetition', { repeat: 0 }, { message: expect.stringContaining('must be a whole number from 1') }],
      [
        'mocks for a list',
        { mock: 'all' },
        { message: expect.stringContaining('but the items of a list have no recording') },
      ],
      ['adapted arguments of a list', { adaptArgs: () => [] }, { code: 'TRACER_INVALID_OPTION' }],
      ['no data', { data: undefined }, { message: expect.stringContaining('evaluate.data is missing') }],
      [
        'data of another kind',
        { data: 'tickets' },
        { message: expect.stringContaining('evaluate.data must be') },
      ],
      ['a blank key', { data: { key: ' ' } }, { message: expect.stringContaining('evaluate.data.key') }],
      [
        'an unknown word of a selection',
        { data: { key: 'k', limits: 1 } },
        { message: expect.stringContaining('Did you mean limit?') },
      ],
      [
        'an item that is none',
        { data: ['late'] },
        { message: expect.stringContaining('evaluate.data[0] must be') },
      ],
      [
        'an item with a misspelt field',
        { data: [{ input: 1, expect: 1 }] },
        { message: expect.stringContaining('data[0].expect is unknown') },
      ],
      [
        'an item with input and args',
        { data: [{ input: 1, args: [1] }] },
        { message: expect.stringContaining('either input or args') },
      ],
      [
        'an item with neither',
        { data: [{ expected: 1 }] },
        { message: expect.stringContaining('either input or args') },
      ],
      [
        'arguments that are no list',
        { data: [{ args: 'late' }] },
        { message: expect.stringContaining('must be the list of arguments') },
      ],
    ])('is refused at once: %s', async (_, options, error) => {
      await expect(test.tracer.evaluate(desk, { data, ...options })).rejects.toMatchObject(error);
      expect(service.calls).toEqual([]);
    });

    it('is refused at once: a function without a name, and no key', async () => {
      await expect(test.tracer.evaluate((() => desk)(), { data })).resolves.toBeDefined();
      const none = { data };
      await expect(test.tracer.evaluate((text: string) => text, none)).rejects.toThrow(
        'evaluate.key is missing',
      );
    });

    it.each([{ key: 'desk' }, { dataset: 'tickets' }])('refuses %j while tracing is off', async (stored) => {
      const off = createTestTracer({ enabled: false }).tracer;
      await expect(off.evaluate(desk, { data: stored })).rejects.toMatchObject({ code: 'TRACER_DISABLED' });
    });
  });
});
