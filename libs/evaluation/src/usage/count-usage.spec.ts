import type { SpanType, UsageRecord } from '@dacapo/protocol';
import fc from 'fast-check';
import { countUsage, findCallsWithoutUsage, readUsage, type UsageSpan } from './count-usage.js';

const span = (spanId: string, parentId?: string, usage?: UsageRecord, type: SpanType = 'llm'): UsageSpan => ({
  spanId,
  parentId,
  type,
  usage,
});

describe('countUsage', () => {
  it('adds up the usage of all model calls in a tree', () => {
    const spans = [
      span('agent', undefined, undefined, 'agent'),
      span('a', 'agent', { input_tokens: 10, output_tokens: 1 }),
      span('tool', 'agent', undefined, 'function'),
      span('b', 'tool', { input_tokens: 20, output_tokens: 2 }),
    ];
    expect(countUsage(spans)).toEqual({ inputTokens: 30, outputTokens: 3 });
  });

  it('counts a request once, with any number of model spans around it', () => {
    const inner = span('request', 'between', { input_tokens: 10 });
    const around = [
      span('chat', undefined, { input_tokens: 10 }),
      span('step', 'chat', { input_tokens: 10 }),
      span('between', 'step', undefined, 'function'),
    ];
    expect(countUsage([...around, inner])).toEqual({ inputTokens: 10 });
    expect(countUsage([inner, ...around.toReversed()])).toEqual({ inputTokens: 10 });
  });

  it.each([undefined, { model: 'm' }])(
    'counts the span around when the one below used nothing: %p',
    (usage) => {
      const spans = [span('chat', undefined, { input_tokens: 7 }), span('request', 'chat', usage)];
      expect(countUsage(spans)).toEqual({ inputTokens: 7 });
    },
  );

  it('ignores usage on spans that are not model calls', () => {
    expect(countUsage([span('run', undefined, { input_tokens: 5 }, 'agent')])).toBeUndefined();
    const spans = [
      span('chat', undefined, { input_tokens: 5 }),
      span('tool', 'chat', { input_tokens: 9 }, 'function'),
    ];
    expect(countUsage(spans)).toEqual({ inputTokens: 5 });
  });

  it('separates cached, written, reasoning and audio tokens and the cost', () => {
    const usage = {
      model: 'm',
      input_tokens: 100,
      output_tokens: 50,
      total_tokens: 150,
      cached_input_tokens: 60,
      cache_creation_input_tokens: 5,
      reasoning_tokens: 30,
      input_audio_tokens: 3,
      output_audio_tokens: 4,
      cost_usd: 0.25,
    };
    expect(countUsage([span('a', undefined, usage), span('b', undefined, usage)])).toEqual({
      inputTokens: 200,
      outputTokens: 100,
      cachedInputTokens: 120,
      cacheWriteTokens: 10,
      reasoningTokens: 60,
      audioTokens: 14,
      costUsd: 0.5,
    });
  });

  it('has only measures that some span has, and is undefined without any', () => {
    expect(countUsage([])).toBeUndefined();
    expect(countUsage([span('a')])).toBeUndefined();
    expect(countUsage([span('a', undefined, { model: 'm' })])).toBeUndefined();
    expect(countUsage([span('a', undefined, { input_tokens: 0 })])).toEqual({ inputTokens: 0 });
    expect(
      countUsage([span('a', undefined, { input_tokens: 1 }), span('b', undefined, { output_tokens: 2 })]),
    ).toEqual({ inputTokens: 1, outputTokens: 2 });
  });

  it('ignores invalid amounts', () => {
    const usage = { input_tokens: -1, output_tokens: NaN, reasoning_tokens: '9' } as unknown as UsageRecord;
    expect(readUsage(usage)).toEqual({});
  });

  it('counts a duplicate span once, and terminates with cyclic parents', () => {
    const twice = span('a', 'gone', { input_tokens: 3 });
    expect(countUsage([twice, twice])).toEqual({ inputTokens: 3 });
    expect(
      countUsage([
        span('a', 'b', { input_tokens: 1 }),
        span('b', 'a'),
        span('self', 'self', { input_tokens: 2 }),
      ]),
    ).toBeUndefined();
  });

  it('counts the innermost model spans with usage of any tree, in any order', () => {
    const node = fc.record({
      above: fc.nat(),
      type: fc.constantFrom<SpanType>('llm', 'function', 'agent'),
      tokens: fc.option(fc.nat(1000), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(node, { maxLength: 12 }), fc.nat(), (nodes, seed) => {
        const spans = nodes.map(({ above, type, tokens }, n) =>
          span(
            String(n),
            n === 0 ? undefined : String(above % n),
            tokens === undefined ? undefined : { input_tokens: tokens },
            type,
          ),
        );
        const isBelow = (low: UsageSpan, high: UsageSpan): boolean => {
          const parent = spans.find(({ spanId }) => spanId === low.parentId);
          return parent !== undefined && (parent === high || isBelow(parent, high));
        };
        const using = spans.filter(({ type, usage }) => type === 'llm' && usage !== undefined);
        const counted = using.filter((one) => !using.some((other) => isBelow(other, one)));
        const expected = counted.reduce((sum, { usage }) => sum + (usage?.input_tokens ?? 0), 0);
        const shuffled = spans
          .map((one, n) => ({ one, at: (n * 7919 + seed) % 101 }))
          .sort((a, b) => a.at - b.at)
          .map(({ one }) => one);
        expect(countUsage(shuffled)).toEqual(counted.length === 0 ? undefined : { inputTokens: expected });
      }),
    );
  });
});

describe('findCallsWithoutUsage', () => {
  const call = (spanId: string, parentId?: string, usage?: UsageRecord, hasFailed = false) => ({
    ...span(spanId, parentId, usage),
    hasFailed,
  });
  const usage: UsageRecord = { input_tokens: 1 };

  it.each<[string, ReturnType<typeof call>[], string[]]>([
    ['a model call without usage', [call('a')], ['a']],
    ['one that names no amount', [call('a', undefined, { model: 'm' })], ['a']],
    ['none of another type', [{ ...call('a'), type: 'agent' }], []],
    ['none that tells', [call('a', undefined, usage)], []],
    ['none around one that tells', [call('a'), call('b', 'a', usage)], []],
    ['the innermost one', [call('a'), call('b', 'a')], ['b']],
    ['none inside one that tells for it', [call('a', undefined, usage), call('b', 'a')], []],
    [
      'one beside another that tells, though the span around repeats what that used',
      [call('a', undefined, usage), call('b', 'a', usage), call('c', 'a')],
      ['c'],
    ],
    ['none that failed', [call('a', undefined, undefined, true)], []],
    ['none around one that failed, which was its request', [call('a'), call('b', 'a', undefined, true)], []],
    ['each once, though parents are a circle', [call('a', 'b'), call('b', 'a'), call('c'), call('c')], ['c']],
  ])('are %s', (_, spans, ids) => {
    expect(findCallsWithoutUsage(spans).map(({ spanId }) => spanId)).toEqual(ids);
    expect(findCallsWithoutUsage(spans.toReversed()).map(({ spanId }) => spanId)).toEqual(ids);
  });
});
