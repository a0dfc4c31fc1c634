import fc from 'fast-check';
import { getCurrentSpan } from '../context/handles.js';
import type { TracerError } from '../errors.js';
import type { TracerOptions } from '../options/tracer-options.js';
import { createTestTracer } from '../testing.js';

const AT_MS = Date.parse('2026-01-31T12:00:00.000Z');
const untyped = (value: unknown): never => value as never;

function tracing(options: TracerOptions = {}) {
  const errors: TracerError[] = [];
  const test = createTestTracer(
    { onError: (error) => errors.push(error), logger: { warn: () => undefined }, ...options },
    { clock: { wallMs: () => AT_MS, monotonicMs: () => performance.now() } },
  );
  return { ...test, errors };
}

describe('a score', () => {
  it('belongs to the open span, also after that has ended', () => {
    const { tracer, spans, scores } = tracing();
    const span = tracer.withSpan('k', () => {
      getCurrentSpan().score('helpful', true, { explanation: 'said so', metadata: { clicks: 2 } });
      return tracer.getCurrentSpan();
    })();
    span.score('tone', 'kind', { label: 'fine', author: { kind: 'person', name: 'ann' } });
    const target = { trace_id: spans[0]!.trace_id, span_id: spans[0]!.id };
    expect(scores).toEqual([
      {
        ...target,
        id: expect.any(String),
        name: 'helpful',
        value: true,
        explanation: 'said so',
        metadata: { clicks: 2 },
        author: { kind: 'program', name: 'application' },
        created_at: '2026-01-31T12:00:00.000000Z',
      },
      expect.objectContaining({
        ...target,
        name: 'tone',
        value: 'kind',
        label: 'fine',
        author: { kind: 'person', name: 'ann' },
      }),
    ]);
    expect(tracer.stats().recorded).toBe(3);
  });

  it.each([
    [
      { traceId: '01890a5d-ac96-774b-bcce-b302099a8057' },
      { trace_id: '01890a5d-ac96-774b-bcce-b302099a8057' },
    ],
    [{ sessionId: 'ann' }, { session_id: 'ann' }],
    [
      { testRunId: '01890a5d-ac96-774b-bcce-b302099a8057', itemNo: 3, repetition: 1 },
      { test_run_id: '01890a5d-ac96-774b-bcce-b302099a8057', item_no: 3, repetition: 1 },
    ],
  ])('is given from anywhere to %j', (target, sent) => {
    const { tracer, scores } = tracing();
    tracer.score(target, { name: 'helpful', value: 0.5 });
    expect(scores).toMatchObject([{ ...sent, name: 'helpful', value: 0.5 }]);
  });

  it('carries no secret, and no text of a person where only metadata is recorded', () => {
    const explanation = 'it showed sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD';
    const target = { sessionId: 's' };
    const plain = tracing();
    plain.tracer.score(target, {
      name: 'safe',
      value: false,
      explanation,
      metadata: { password: 'hunter2', why: explanation },
    });
    expect(JSON.stringify(plain.scores)).not.toMatch(/sk-proj-abc|hunter2/);
    const bare = tracing({ capture: { metadataOnly: true } });
    bare.tracer.score(target, { name: 'safe', value: false, explanation, metadata: { why: 'x' } });
    expect(bare.scores[0]).toMatchObject({ name: 'safe', value: false });
    expect(bare.scores[0]).not.toHaveProperty('explanation');
    expect(bare.scores[0]).not.toHaveProperty('metadata');
  });

  it('is cut to the maximum length', () => {
    const { tracer, scores, errors } = tracing();
    tracer.score({ sessionId: 's' }, { name: 'n'.repeat(9999), value: 1, explanation: 'e'.repeat(99_999) });
    expect([scores[0]?.name.length, scores[0]?.explanation?.length]).toEqual([512, 16_384]);
    expect(errors).toEqual([]);
  });

  it('of a trace that is not recorded is not sent; of one that is kept for its error it is', () => {
    const out = tracing({ sampleRate: 0 });
    out.tracer.withSpan('k', () => {
      getCurrentSpan().score('helpful', true);
    })();
    expect(out.scores).toEqual([]);
    const kept = tracing({ sampleRate: 0, keepErrors: true });
    const work = kept.tracer.withSpan('k', (fails: boolean) => {
      getCurrentSpan().score('fails', fails);
      if (fails) throw new Error('no');
      return getCurrentSpan();
    });
    work(false).score('late', 1);
    expect(() => work(true)).toThrow('no');
    expect(kept.scores).toMatchObject([{ name: 'fails', value: true }]);
  });

  it('is nothing outside a span, and while tracing is off', () => {
    const { tracer, scores } = tracing({ enabled: false });
    getCurrentSpan().score('helpful', true);
    tracer.score({ sessionId: 's' }, { name: 'helpful', value: true });
    tracer.withSpan('k', () => {
      getCurrentSpan().score('helpful', true);
    })();
    expect(scores).toEqual([]);
  });

  it.each<[string, unknown, unknown, RegExp]>([
    ['a value that is no number', { sessionId: 's' }, { name: 'n', value: NaN }, /finite number/],
    ['a value of another kind', { sessionId: 's' }, { name: 'n', value: 5n }, /finite number/],
    ['no value', { sessionId: 's' }, { name: 'n' }, /finite number/],
    ['a blank name', { sessionId: 's' }, { name: ' ', value: 1 }, /name must not be blank/],
    ['no name', { sessionId: 's' }, { value: 1 }, /name/],
    ['no target', {}, { name: 'n', value: 1 }, /trace_id is missing/],
    ['two targets', { sessionId: 's', traceId: 't' }, { name: 'n', value: 1 }, /one target/],
    ['a span without its trace', { sessionId: 's', spanId: '0' }, { name: 'n', value: 1 }, /span_id/],
    ['a trace id that is none', { traceId: 'mine' }, { name: 'n', value: 1 }, /UUID/],
    ['an author that is none', { sessionId: 's' }, { name: 'n', value: 1, author: 'ann' }, /author/],
    ['nothing', undefined, undefined, /was given undefined/],
    ['a text', { sessionId: 's' }, 'good', /was given a text/],
  ])('that cannot be sent is told, and harms nobody: %s', (_, target, score, message) => {
    const { tracer, scores, errors } = tracing();
    tracer.score(untyped(target), untyped(score));
    tracer.score(untyped(target), untyped(score));
    expect(scores).toEqual([]);
    expect(errors).toMatchObject([{ code: 'TRACER_INVALID_NOTE', method: 'score' }]);
    expect(errors[0]?.message).toMatch(message);
  });

  it('never throws at the caller for any value', () => {
    const { tracer, scores } = tracing();
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (target, name, value) => {
        tracer.score(untyped(target), untyped({ name, value, metadata: value, author: target }));
        tracer.withSpan('k', () => {
          getCurrentSpan().score(untyped(name), untyped(value), untyped(target));
          getCurrentSpan().addUsage(untyped(target));
        })();
      }),
      { numRuns: 300 },
    );
    for (const { value } of scores) expect(typeof value === 'number' && !Number.isFinite(value)).toBe(false);
  });
});

describe('usage that the application adds', () => {
  it('sums up, under the names that everything counts by', () => {
    const { tracer, spans } = tracing();
    tracer.withSpan('ask', { type: 'llm' }, () => {
      getCurrentSpan().addUsage({ model: 'a', inputTokens: 10, outputTokens: 2, costUsd: 0.5 });
      getCurrentSpan().addUsage({
        model: 'b',
        provider: 'p',
        inputTokens: 5,
        cachedInputTokens: 4,
        cacheWriteTokens: 1,
        reasoningTokens: 3,
        inputAudioTokens: 6,
        outputAudioTokens: 7,
        outputTokens: undefined,
      });
    })();
    expect(spans[0]?.span_data.usage).toEqual({
      model: 'b',
      provider: 'p',
      input_tokens: 15,
      output_tokens: 2,
      cost_usd: 0.5,
      cached_input_tokens: 4,
      cache_creation_input_tokens: 1,
      reasoning_tokens: 3,
      input_audio_tokens: 6,
      output_audio_tokens: 7,
    });
  });

  it.each<[unknown, RegExp]>([
    [{ inputTokens: -1 }, /inputTokens that is not a number of at least 0/],
    [{ outputTokens: '12' }, /outputTokens that is not a number/],
    [{ input_tokens: 12 }, /input_tokens, which is not a known field/],
    [{ model: 4 }, /a model that is not a text/],
    ['12', /was given a text/],
    [null, /was given null/],
  ])('is refused as a whole where it is %j', (usage, message) => {
    const { tracer, spans, errors } = tracing();
    tracer.withSpan('ask', { type: 'llm' }, () => {
      getCurrentSpan().addUsage(untyped(usage));
    })();
    expect(spans[0]?.span_data).not.toHaveProperty('usage');
    expect(errors).toMatchObject([{ code: 'TRACER_INVALID_NOTE', method: 'addUsage' }]);
    expect(errors[0]?.message).toMatch(message);
  });
});
