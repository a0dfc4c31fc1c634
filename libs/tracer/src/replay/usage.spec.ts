import { startStoredSpansService, type StoredSpansService } from '../../test/service/stored-spans-service.js';
import { type UsageRecord } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import type { RunOptions } from '../options/replay-options.js';
import { createTestTracer } from '../testing.js';
import type { Tracer } from '../tracer.js';

type Options = RunOptions<[question: string], string>;

/** Plans and writes with a model that LangChain reports. The span around each request repeats the usage of the request. */
function createDesk(tracer: Tracer, tokens: number) {
  const handler = tracer.getLangChainHandler();
  let requests = 0;
  const ask = tracer.withSpan('ask', { type: 'llm' }, async (prompt: string) => {
    const id = `request-${requests++}`;
    await handler.handleLLMStart({ id: ['fake'] }, [prompt], id);
    const tokenUsage = { promptTokens: tokens, completionTokens: 2 };
    await handler.handleLLMEnd({ generations: [], llmOutput: { tokenUsage } }, id);
    return `answer to ${prompt}`;
  });
  const plan = tracer.withSpan('plan', { type: 'agent' }, (question: string) => ask(`plan ${question}`));
  return tracer.withSpan(
    'desk',
    { type: 'agent' },
    async (question: string) => `${await plan(question)}, ${await ask(question)}`,
  );
}

describe('the usage of an item', () => {
  let service: StoredSpansService;

  const replay = async (tokens: number, options: Options) => {
    const recorded = createTestTracer();
    const desk = createDesk(recorded.tracer, 10);
    await desk('one');
    await desk('two');
    service = await startStoredSpansService(recorded.spans);
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    return tracer.replay('desk', createDesk(tracer, tokens), options);
  };

  afterEach(() => service.close());

  it('is the usage of its model requests, each counted once, next to the earlier usage', async () => {
    const run = await replay(15, {});
    expect(run.items).toMatchObject([
      { usage: { inputTokens: 30, outputTokens: 4 }, originalUsage: { inputTokens: 20, outputTokens: 4 } },
      { usage: { inputTokens: 30, outputTokens: 4 }, originalUsage: { inputTokens: 20, outputTokens: 4 } },
    ]);
    expect(run.usage).toMatchObject({
      tokens: { n: 2, total: 68, mean: 34, delta: { mean: 10 } },
      inputTokens: { total: 60, delta: { mean: 10 } },
    });
    expect(service.reports).toMatchObject([
      {
        usage: { input_tokens: 30, output_tokens: 4 },
        original_usage: { input_tokens: 20, output_tokens: 4 },
      },
      { usage: { input_tokens: 30, output_tokens: 4 } },
    ]);
  });

  it.each<[string, Options]>([
    ['all calls', { mock: 'all' }],
    ['a call around a model call', { mock: 'all', live: [{ key: 'ask' }, 'llm'] }],
  ])('is not known where the recording answered %s', async (_, options) => {
    const { items, usage } = await replay(15, options);
    expect(items.map(({ verdict }) => verdict)).toEqual(['same', 'same']);
    expect(items[0]).toMatchObject({ originalUsage: { inputTokens: 20 } });
    expect(items[0]).not.toHaveProperty('usage');
    expect(usage).toEqual({});
  });

  it('is not priced when a side is not completely known: the service is not called', async () => {
    const { warnings } = await replay(15, {});
    expect(warnings).toEqual([]);
    expect(service.calls.filter(({ path }) => path === API.costs.compute.path)).toEqual([]);
  });

  it('is known when only calls without a model inside were mocked', async () => {
    const { items } = await replay(15, { mock: 'all', live: ['llm', 'agent'] });
    expect(items[0]).toMatchObject({ usage: { inputTokens: 30, outputTokens: 4 } });
  });
});

describe('the cost of an item', () => {
  let service: StoredSpansService;

  /** Dollars for a token. */
  const PRICES: Record<string, number> = { small: 1, large: 10 };

  type Asked = Pick<UsageRecord, 'model'> & { tokens: number; costUsd?: number };
  const deskWith = (tracer: Tracer, requests: readonly Asked[]) => {
    const ask = tracer.withSpan('ask', { type: 'llm' }, ({ tokens: inputTokens, ...usage }: Asked) => {
      tracer.getCurrentSpan().addUsage({ ...usage, inputTokens, provider: 'p' });
      return 'answer';
    });
    return tracer.withSpan('desk', { type: 'agent' }, (question: string) => {
      for (const request of requests) ask(request);
      return question;
    });
  };

  const replay = async (
    before: readonly Asked[],
    now: readonly Asked[],
    options: Options = {},
    items = 1,
  ) => {
    const recorded = createTestTracer();
    const desk = deskWith(recorded.tracer, before);
    for (let item = 0; item < items; item++) desk(`question ${item}`);
    service = await startStoredSpansService(recorded.spans, {
      instead: ({ path, body }) => {
        if (path !== API.costs.compute.path) return undefined;
        const { usages } = body as { usages: UsageRecord[] };
        const costs = usages.map(({ model = '', input_tokens: tokens = 0 }) =>
          PRICES[model] === undefined ? null : PRICES[model] * tokens,
        );
        return { body: { price_version: 'table@1', costs } };
      },
    });
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    return tracer.replay('desk', deskWith(tracer, now), options);
  };

  afterEach(() => service.close());

  it.each<[string, Asked[], Asked[], number | undefined, number | undefined]>([
    [
      'is what the service computes for both sides',
      [{ model: 'small', tokens: 5 }],
      [
        { model: 'large', tokens: 5 },
        { model: 'small', tokens: 1 },
      ],
      ...([51, 5] as const),
    ],
    [
      'is what was recorded, where every call of both sides has it',
      [{ model: 'small', tokens: 5, costUsd: 0.1 }],
      [{ model: 'large', tokens: 5, costUsd: 0.2 }],
      ...([0.2, 0.1] as const),
    ],
    [
      'is computed on both sides where one call has no recorded cost',
      [{ model: 'small', tokens: 5, costUsd: 0.1 }],
      [{ model: 'small', tokens: 6 }],
      ...([6, 5] as const),
    ],
    [
      'is not known where one of the calls has no price',
      [
        { model: 'small', tokens: 5 },
        { model: 'unheard of', tokens: 1 },
      ],
      [{ model: 'small', tokens: 5 }],
      ...([5, undefined] as const),
    ],
    [
      'is never the difference of two sources',
      [{ model: 'small', tokens: 5 }],
      [{ model: 'unheard of', tokens: 5, costUsd: 0.2 }],
      ...([0.2, undefined] as const),
    ],
    ['is not known of a model that nobody named', [{ tokens: 5 }], [{ tokens: 5 }], undefined, undefined],
  ])('%s', async (_, before, now, costUsd, original) => {
    const { items } = await replay(before, now);
    expect([items[0]?.usage?.costUsd, items[0]?.originalUsage?.costUsd]).toEqual([costUsd, original]);
  });

  it('decides the gate', async () => {
    const options = { gate: { costUsd: { maxRise: 1 } } };
    const dearer = await replay(
      [{ model: 'small', tokens: 5 }],
      [{ model: 'large', tokens: 5 }],
      options,
      12,
    );
    expect(dearer.passed).toBe(false);
    expect(dearer.failures).toEqual([
      expect.stringMatching(/^The mean cost rose by 45 USD .*the gate allows 1 USD\.$/),
    ]);
    expect(dearer.usage.costUsd).toMatchObject({ n: 12, total: 600, delta: { mean: 45 } });
    expect(service.reports[0]).toMatchObject({ usage: { cost_usd: 50 }, original_usage: { cost_usd: 5 } });
    expect(service.calls.filter(({ path }) => path === API.costs.compute.path).length).toBeLessThan(12);
  });

  it('is unknown for a service that cannot compute it, and the run reports that once', async () => {
    const refusing = createTestTracer();
    deskWith(refusing.tracer, [{ model: 'small', tokens: 5 }])('question');
    service = await startStoredSpansService(refusing.spans, {
      instead: ({ path }) =>
        path === API.costs.compute.path ? { status: 404, body: { detail: 'Not Found' } } : undefined,
    });
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const run = await tracer.replay('desk', deskWith(tracer, [{ model: 'small', tokens: 5 }]), {
      gate: { costUsd: {} },
    });
    expect(run.items[0]?.usage).toEqual({ inputTokens: 5 });
    expect(run.warnings).toEqual([expect.stringMatching(/^Costs are unknown: .*404/)]);
    expect(run.passed).toBe(true);
  });
});

describe('the model calls of an item', () => {
  let service: StoredSpansService;

  type Asked = 'told' | 'silent' | 'failing';
  const deskWith = (tracer: Tracer, requests: readonly Asked[]) => {
    const ask = tracer.withSpan('ask', { type: 'llm' }, (request: Asked) => {
      if (request === 'failing') throw new Error('429');
      if (request !== 'silent') tracer.getCurrentSpan().addUsage({ inputTokens: 10, outputTokens: 5 });
      return 'answer';
    });
    return tracer.withSpan('desk', { type: 'agent' }, (question: string) => {
      for (const request of requests) {
        try {
          ask(request);
        } catch {
          // It asks the next one.
        }
      }
      return question;
    });
  };
  const replay = async (before: readonly Asked[], now: readonly Asked[], options: Options = {}) => {
    const recorded = createTestTracer();
    const desk = deskWith(recorded.tracer, before);
    // Fewer items cannot show a rise.
    for (let item = 0; item < 6; item++) desk(`question ${item}`);
    service = await startStoredSpansService(recorded.spans);
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    return tracer.replay('desk', deskWith(tracer, now), { gate: { tokens: { maxRise: 1000 } }, ...options });
  };
  const counts = (made: number, reported: number) => ({
    made,
    inputTokens: reported,
    outputTokens: reported,
    costUsd: 0,
  });

  afterEach(() => service.close());

  it.each<[string, Asked[], Asked[], boolean]>([
    ['passes where each told its usage', ['told'], ['told', 'told'], true],
    ['fails where one tells none any more', ['told', 'told'], ['told', 'silent'], false],
    ['fails where none tells any', ['told'], ['silent'], false],
    ['fails where none was made that is seen', ['told'], [], false],
    ['passes where one was silent before, too', ['told', 'silent'], ['told', 'silent'], true],
    ['passes where a request failed, and was made again', ['told'], ['failing', 'told'], true],
  ])('are counted: a gate on tokens %s', async (_, before, now, passes) => {
    const { items, passed, failures } = await replay(before, now);
    const countReported = (requests: Asked[]): number => requests.filter((one) => one === 'told').length;
    const countMade = (requests: Asked[]): number => requests.filter((one) => one !== 'failing').length;
    expect(items[0]).toMatchObject({
      modelCalls: counts(countMade(now), countReported(now)),
      originalModelCalls: counts(countMade(before), countReported(before)),
    });
    expect({ passed, failures }).toMatchObject({ passed: passes });
    expect(failures).toHaveLength(passes ? 0 : 1);
    const [reported, reportedBefore] = [countReported(now), countReported(before)];
    expect(service.reports[0]).toMatchObject({
      model_calls: { made: countMade(now), input_tokens: reported, output_tokens: reported, cost_usd: 0 },
      original_model_calls: { made: countMade(before), input_tokens: reportedBefore },
    });
  });

  it('are unknown when the recording answered them, and absent when there were none', async () => {
    const mocked = await replay(['told'], ['told'], { mock: 'all' });
    expect(mocked.items[0]).not.toHaveProperty('modelCalls');
    expect(mocked.items[0]).toMatchObject({ originalModelCalls: counts(1, 1) });
    expect(mocked.failures).toEqual([
      expect.stringMatching(/tokens is unknown for 6 items .*: 6 answered from the recording/),
    ]);
    await service.close();
    const none = await replay([], []);
    expect(none.items[0]).not.toHaveProperty('modelCalls');
    expect(none.items[0]).not.toHaveProperty('originalModelCalls');
  });

  it('in another service, or after the call had ended, count on neither side: no replay sees them', async () => {
    const recorded = createTestTracer();
    deskWith(recorded.tracer, ['told', 'told', 'told'])('question');
    const [remote, late] = recorded.spans.filter(({ trace_function_key: key }) => key === 'ask');
    const desk = recorded.spans.find(({ trace_function_key: key }) => key === 'desk');
    const changed = recorded.spans.map((span) => {
      if (span === remote)
        return {
          ...span,
          span_data: { ...span.span_data, meta: { ...span.span_data.meta, remote_parent: true as const } },
        };
      return span === late ? { ...span, started_at: String(desk?.ended_at) } : span;
    });
    service = await startStoredSpansService(changed);
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const { items } = await tracer.replay('desk', deskWith(tracer, ['told']));
    expect(items[0]).toMatchObject({ originalModelCalls: counts(1, 1), originalUsage: { inputTokens: 10 } });
  });
});
