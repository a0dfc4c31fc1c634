import { startStoredSpansService, type StoredSpansService } from '../../test/service/stored-spans-service.js';
import type { RunOptions } from '../options/replay-options.js';
import { createTestTracer } from '../testing.js';
import type { Tracer } from '../tracer.js';

type Options = RunOptions<[question: string], string>;

/** Plans and writes, by a model whose requests LangChain tells of: the span around each repeats what the request used. */
function deskOf(tracer: Tracer, tokens: number) {
  const handler = tracer.getLangChainHandler();
  let requests = 0;
  const ask = tracer.withSpan('ask', { type: 'llm' }, (prompt: string) => {
    const id = `request-${requests++}`;
    handler.handleLLMStart({ id: ['fake'] }, [prompt], id);
    const tokenUsage = { promptTokens: tokens, completionTokens: 2 };
    handler.handleLLMEnd({ generations: [], llmOutput: { tokenUsage } }, id);
    return `answer to ${prompt}`;
  });
  const plan = tracer.withSpan('plan', { type: 'agent' }, (question: string) => ask(`plan ${question}`));
  return tracer.withSpan(
    'desk',
    { type: 'agent' },
    (question: string) => `${plan(question)}, ${ask(question)}`,
  );
}

describe('the usage of an item', () => {
  let service: StoredSpansService;

  const replay = async (tokens: number, options: Options) => {
    const recorded = createTestTracer();
    const desk = deskOf(recorded.tracer, 10);
    desk('one');
    desk('two');
    service = await startStoredSpansService(recorded.spans);
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    return tracer.replay('desk', deskOf(tracer, tokens), options);
  };

  afterEach(() => service.close());

  it('is what its requests to models used, each counted once, beside what they used before', async () => {
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

  it('is known when only calls without a model inside were answered', async () => {
    const { items } = await replay(15, { mock: 'all', live: ['llm', 'agent'] });
    expect(items[0]).toMatchObject({ usage: { inputTokens: 30, outputTokens: 4 } });
  });
});
