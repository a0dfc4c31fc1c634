import { type EvaluatorContext, judge, latency } from '@dacapo/evaluation';
import { startStoredSpansService, type StoredSpansService } from '../../test/service/stored-spans-service.js';
import { createTestTracer, type TestTracer } from '../testing.js';

const TEXTS = ['late', 'twice', 'lost', 'why'];

describe('a run is deterministic', () => {
  let recorded: TestTracer;
  let test: TestTracer;
  let service: StoredSpansService;

  beforeEach(async () => {
    recorded = createTestTracer();
    service = await startStoredSpansService(recorded.spans);
    test = createTestTracer({ serviceUrl: service.url, logger: { warn: () => undefined } });
  });

  afterEach(() => service.close());

  const isUpper = ({ output }: EvaluatorContext): boolean => output === String(output).toUpperCase();
  const gate = { scores: { isUpper: { maxDrop: 0.2 } } };
  /** Answers in capitals, but for one of the four texts. */
  const answer = (text: string): string => (text === 'why' ? text : text.toUpperCase());
  const desk = ({ tracer }: TestTracer, ask: (text: string) => unknown = answer) =>
    tracer.withSpan('desk', (text: string) => ask(text));
  const createModel = ({ tracer }: TestTracer) => tracer.withSpan('ask', { type: 'llm' }, answer);
  const record = async (call: (text: string) => unknown = (text) => text.toUpperCase()): Promise<void> => {
    for (const text of TEXTS) await desk(recorded, call)(text);
  };
  const options = { data: { key: 'desk' }, evaluators: { isUpper }, repeat: 2, gate };

  it('when pure code returns equal outcomes twice: the mean drop is compared exactly', async () => {
    await record();
    const run = await test.tracer.evaluate(desk(test), options);
    expect(run).toMatchObject({ deterministic: true, passed: false });
    expect(run.scores['isUpper']?.delta).toMatchObject({ mean: -0.25, exact: true });
    expect(run.failures).toEqual(['isUpper dropped by 0.25 (exact); the gate allows 0.2.']);
    expect(service.finished).toMatchObject([{ summary: { deterministic: true } }]);
    const allowed = { scores: { isUpper: { maxDrop: 0.25 } } };
    expect(await test.tracer.evaluate(desk(test), { ...options, gate: allowed })).toMatchObject({
      deterministic: true,
      passed: true,
    });
  });

  it('when the recording answers its model calls', async () => {
    const ask = createModel(recorded);
    await record((text) => ask(text));
    const run = await test.tracer.evaluate(desk(test, createModel(test)), { ...options, mock: 'all' });
    expect(run).toMatchObject({ deterministic: true, ranLive: {} });
  });

  it('when an evaluator calls other functions', async () => {
    await record();
    const look = test.tracer.withSpan('look', (text: unknown) => String(text).length);
    const evaluators = { isUpper, length: ({ output }: EvaluatorContext) => look(output) };
    expect(await test.tracer.evaluate(desk(test), { ...options, evaluators })).toHaveProperty(
      'deterministic',
    );
  });

  describe('but not', () => {
    const expectUnknown = async (
      fn: (text: string) => unknown,
      changed: Partial<Parameters<typeof test.tracer.evaluate>[1]> = {},
    ): Promise<void> => {
      await record();
      const run = await test.tracer.evaluate(fn, { ...options, ...changed } as typeof options);
      expect(run.totals).toMatchObject({ items: 4 * (changed.repeat ?? 2), error: 0 });
      expect(run).not.toHaveProperty('deterministic');
      expect(run.scores['isUpper']?.delta).not.toHaveProperty('exact');
    };

    it('without repetitions', () => expectUnknown(desk(test), { repeat: 1 }));

    it('when a model ran inside', () => expectUnknown(desk(test, createModel(test))));

    it('when the replayed function is a model call itself', () => expectUnknown(createModel(test)));

    it('when only one item calls a model', () => {
      const ask = createModel(test);
      return expectUnknown(desk(test, (text) => (text === 'lost' ? ask(text) : answer(text))));
    });

    it('when outcomes of repetitions differ', () => {
      let calls = 0;
      return expectUnknown(desk(test, (text) => (text === 'late' ? `LATE${(calls += 1)}` : answer(text))));
    });

    it('when an evaluator is a model judge', () =>
      expectUnknown(desk(test), {
        evaluators: {
          isUpper,
          polite: judge({ name: 'polite', ask: () => 'yes', choices: { yes: 1, no: 0 } }),
        },
      }));

    it('when an evaluator reads the clock', () =>
      expectUnknown(desk(test), { evaluators: { isUpper, latency: latency({ maxMs: 60_000 }) } }));

    it('when an evaluator calls a model in a traced call', () => {
      const ask = createModel(test);
      const graded = ({ output }: EvaluatorContext): number => ask(String(output)).length;
      return expectUnknown(desk(test), { evaluators: { isUpper, graded } });
    });

    it('when an evaluator calls a model for one item only', () => {
      const ask = createModel(test);
      const graded = ({ input, output }: EvaluatorContext): number =>
        input === 'why' ? ask(String(output)).length : 1;
      return expectUnknown(desk(test), { evaluators: { isUpper, graded } });
    });

    it('when an evaluator scores equal repetitions differently', () => {
      let calls = 0;
      return expectUnknown(desk(test), { evaluators: { isUpper, counter: () => (calls += 1) } });
    });

    it('when no service records the inner calls', async () => {
      const tracer = createTestTracer({ enabled: false }).tracer;
      const data = TEXTS.map((input) => ({ input, expected: input.toUpperCase() }));
      const run = await tracer.evaluate(answer, { data, repeat: 2, evaluators: { isUpper } });
      expect(run.totals.items).toBe(8);
      expect(run).not.toHaveProperty('deterministic');
    });
  });
});
