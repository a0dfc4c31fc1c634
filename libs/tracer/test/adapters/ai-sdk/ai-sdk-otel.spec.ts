import * as v5 from 'ai-v5';
import { MockLanguageModelV2 } from 'ai-v5/test';
import * as v6 from 'ai-v6';
import { MockLanguageModelV3 } from 'ai-v6/test';
import { z } from 'zod';
import type { TracerOptions } from '../../../src/options/tracer-options.js';
import { createTestTracer } from '../../../src/testing.js';
import { named, orphans, outline } from '../outline.js';

const city = z.object({ city: z.string() });

/** What differs between the two versions: the shape of their test models. */
const version5 = {
  ...v5,
  usage: { inputTokens: 12, outputTokens: 9, totalTokens: 21, cachedInputTokens: 4 },
  reason: (reason: string) => reason,
  model: (doGenerate: () => Promise<unknown>) =>
    new MockLanguageModelV2({ modelId: 'mock-1', doGenerate: doGenerate as never }),
  streaming: (chunks: unknown[]) =>
    new MockLanguageModelV2({
      doStream: async () => ({ stream: v5.simulateReadableStream({ chunks }) }) as never,
    }),
};
const version6 = {
  ...v6,
  usage: {
    inputTokens: { total: 12, noCache: 8, cacheRead: 4, cacheWrite: 0 },
    outputTokens: { total: 9, text: 9, reasoning: 0 },
  },
  reason: (reason: string) => ({ unified: reason, raw: reason }),
  model: (doGenerate: () => Promise<unknown>) =>
    new MockLanguageModelV3({ modelId: 'mock-1', doGenerate: doGenerate as never }),
  streaming: (chunks: unknown[]) =>
    new MockLanguageModelV3({
      doStream: async () => ({ stream: v6.simulateReadableStream({ chunks }) }) as never,
    }),
};

describe.each([
  [5, version5 as unknown as typeof version6],
  [6, version6],
])('AI SDK %d through its OpenTelemetry tracer', (_, ai) => {
  const answer = (text: string) => ({
    content: [{ type: 'text', text }],
    finishReason: ai.reason('stop'),
    usage: ai.usage,
    warnings: [],
  });
  const toolCall = (input: object) => ({
    content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: JSON.stringify(input) }],
    finishReason: ai.reason('tool-calls'),
    usage: ai.usage,
    warnings: [],
  });
  const createModel = (...answers: (() => object)[]) => {
    let calls = 0;
    return ai.model(async () => answers[calls++]!());
  };
  const underTest = (options: TracerOptions = {}) => {
    const test = createTestTracer(options);
    return { ...test, telemetry: test.tracer.getAiSdkTelemetry() };
  };

  it('records an operation with its model calls and tools as one tree', async () => {
    const { tracer, spans, telemetry } = underTest();
    const lookUp = tracer.withSpan('look-up', async (name: string) => ({ name, degrees: 21 }));
    const weather = ai.tool({ inputSchema: city, execute: async (input) => lookUp(input.city) });
    const ask = tracer.withSpan('ask', async (prompt: string) => {
      const result = await ai.generateText({
        model: createModel(() => toolCall({ city: 'Oslo' }), () => answer('Mild.')), // prettier-ignore
        system: 'Be brief.',
        prompt,
        tools: { weather },
        stopWhen: ai.stepCountIs(3),
        experimental_telemetry: { ...telemetry, functionId: 'forecast' },
      });
      return result.text;
    });
    await expect(ask('Weather?')).resolves.toBe('Mild.');

    expect(outline(spans)).toEqual([
      'custom ask',
      '  agent forecast',
      '    llm mock-1',
      '    function weather',
      '      custom look-up',
      '    llm mock-1',
    ]);
    expect(orphans(spans)).toEqual([]);
    expect(named(spans, 'forecast')).toMatchObject({
      trace_function_key: 'ai.generateText.forecast',
      span_data: { input: [{ system: 'Be brief.', prompt: 'Weather?' }], output: 'Mild.' },
    });
    expect(named(spans, 'mock-1')).toMatchObject({
      trace_function_key: 'ai.model',
      span_data: {
        prompt: 'system:\nBe brief.\n\nuser:\nWeather?',
        output: { toolCalls: [{ toolName: 'weather' }] },
        usage: { model: 'mock-1', provider: 'mock-provider', input_tokens: 12, output_tokens: 9 },
        contexts: [
          { tools: [{ name: 'weather' }], toolChoice: { type: 'auto' } },
          { finishReason: 'tool-calls', responseModel: 'mock-1' },
        ],
      },
    });
    expect(named(spans, 'weather')).toMatchObject({
      trace_function_key: 'ai.tool.weather',
      span_data: { input: [{ city: 'Oslo' }], output: { name: 'Oslo', degrees: 21 } },
    });
  });

  it('records what the provider sent before a stream broke', async () => {
    const { spans, telemetry } = underTest();
    const model = ai.streaming([
      { type: 'stream-start', warnings: [] },
      { type: 'error', error: new RangeError('overloaded') },
      { type: 'finish', finishReason: ai.reason('error'), usage: ai.usage },
    ]);
    const result = ai.streamText({
      model,
      prompt: 'hi',
      onError: () => undefined,
      experimental_telemetry: telemetry,
    });
    await result.consumeStream();
    expect(spans.find(({ type }) => type === 'llm')).toMatchObject({
      status: 'error',
      span_data: { error: { name: 'RangeError', message: 'overloaded' } },
    });
  });

  it('counts usage only on the requests to a model', async () => {
    const { spans, telemetry } = underTest();
    const model = createModel(() => answer('Mild.'));
    await ai.generateText({ model, prompt: 'x', experimental_telemetry: telemetry });
    expect(spans.map(({ type, span_data }) => [type, span_data.usage?.input_tokens])).toEqual([
      ['llm', 12],
      ['agent', undefined],
    ]);
  });

  it('records a stream to its end', async () => {
    const { spans, telemetry } = underTest();
    const model = ai.streaming([
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'Hel' },
      { type: 'text-delta', id: '1', delta: 'lo.' },
      { type: 'text-end', id: '1' },
      { type: 'finish', finishReason: ai.reason('stop'), usage: ai.usage },
    ]);
    const result = ai.streamText({ model, prompt: 'hi', experimental_telemetry: telemetry });
    let text = '';
    for await (const chunk of result.textStream) text += chunk;
    expect(text).toBe('Hello.');
    expect(outline(spans)).toEqual(['agent streamText', '  llm mock-model-id']);
    expect(named(spans, 'mock-model-id').span_data).toMatchObject({
      output: 'Hello.',
      usage: {
        input_tokens: 12,
        output_tokens: 9,
        cached_input_tokens: 4,
        time_to_first_token_ms: expect.any(Number),
      },
    });
  });

  it('records a stream that breaks off as failed', async () => {
    const { spans, telemetry } = underTest();
    const model = ai.streaming([
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'Hel' },
      { type: 'error', error: new Error('lost') },
    ]);
    const onError = (): void => undefined;
    await ai.streamText({ model, prompt: 'hi', onError, experimental_telemetry: telemetry }).consumeStream();
    expect(spans).toMatchObject([
      { name: 'mock-model-id', status: 'error' },
      { name: 'streamText', status: 'error', span_data: { output: 'Hel' } },
    ]);
  });

  const talking = (count: number) =>
    ai.streaming([
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: '1' },
      ...Array.from({ length: count }, (_, at) => ({ type: 'text-delta', id: '1', delta: `word ${at} ` })),
      { type: 'text-end', id: '1' },
      { type: 'finish', finishReason: ai.reason('stop'), usage: ai.usage },
    ]);
  const cancelled = [
    ['mock-model-id', 'cancelled'],
    ['streamText', 'cancelled'],
  ];

  it('records an aborted stream as cancelled, its request to the model too', async () => {
    const { spans, telemetry } = underTest();
    const abort = new AbortController();
    const { textStream } = ai.streamText({
      model: talking(50),
      prompt: 'hi',
      abortSignal: abort.signal,
      experimental_telemetry: telemetry,
    });
    for await (const chunk of textStream) {
      expect(chunk).toBeDefined();
      abort.abort();
    }
    expect(spans.map(({ name, status }) => [name, status])).toEqual(cancelled);
  });

  it('keeps a stream open that its reader left, and reads on', async () => {
    const { spans, telemetry } = underTest();
    const result = ai.streamText({ model: talking(3), prompt: 'hi', experimental_telemetry: telemetry });
    for await (const chunk of result.textStream) if (chunk !== '') break;
    expect(spans).toEqual([]);
    expect(await result.text).toBe('word 0 word 1 word 2 ');
    await result.consumeStream();
    expect(spans.map(({ status }) => status)).toEqual(['ok', 'ok']);
  });

  it('records the time to the first token in whole microseconds', async () => {
    const { spans, telemetry } = underTest();
    const result = ai.streamText({ model: talking(3), prompt: 'hi', experimental_telemetry: telemetry });
    await result.consumeStream();
    const { usage } = named(spans, 'mock-model-id').span_data;
    expect(JSON.stringify(usage)).toMatch(/"time_to_first_token_ms":\d+(\.\d{1,3})?[,}]/);
  });

  it('records an object', async () => {
    const { spans, telemetry } = underTest();
    // Deprecated in 6, and in use.
    const generateObject = Reflect.get(ai, 'generateObject') as unknown as typeof v5.generateObject;
    const model = createModel(() => answer('{"city":"Oslo"}')) as unknown as MockLanguageModelV2;
    const { object } = await generateObject({
      model,
      schema: city,
      prompt: 'Where?',
      experimental_telemetry: telemetry,
    });
    expect(object).toEqual({ city: 'Oslo' });
    expect(named(spans, 'generateObject').span_data.output).toEqual({ city: 'Oslo' });
    expect(named(spans, 'mock-1').span_data.output).toEqual({ city: 'Oslo' });
  });

  it('records a failure on the model call and the operation, and leaves the error as it is', async () => {
    const { spans, telemetry } = underTest();
    const error = new TypeError('boom');
    const model = createModel(() => {
      throw error;
    });
    const failed = ai.generateText({ model, prompt: 'x', maxRetries: 0, experimental_telemetry: telemetry });
    await expect(failed).rejects.toBe(error);
    expect(spans).toMatchObject([
      { name: 'mock-1', status: 'error', span_data: { error: { name: 'TypeError', message: 'boom' } } },
      { name: 'generateText', status: 'error' },
    ]);
  });

  it('records the metadata, its sessionId as the session, and no header', async () => {
    const { spans, traces, telemetry } = underTest();
    await ai.generateText({
      model: createModel(() => answer('ok')),
      prompt: 'hi',
      headers: { Authorization: 'Bearer sk-secret-header' },
      experimental_telemetry: { ...telemetry, metadata: { sessionId: 'chat-42', userId: 'u1' } },
    });
    expect(traces).toMatchObject([{ session_id: 'chat-42' }]);
    expect(named(spans, 'generateText').span_data.contexts).toContainEqual({
      sessionId: 'chat-42',
      userId: 'u1',
    });
    expect(JSON.stringify(spans)).not.toContain('sk-secret-header');
  });

  it('keeps concurrent operations apart', async () => {
    const { tracer, spans, telemetry } = underTest();
    const ask = tracer.withSpan('ask', async (prompt: string) => {
      const result = await ai.generateText({
        model: createModel(() => answer(prompt)),
        prompt,
        experimental_telemetry: telemetry,
      });
      return result.text;
    });
    await Promise.all(Array.from({ length: 10 }, (__, index) => ask(`p${index}`)));
    const traces = new Set(spans.map(({ trace_id }) => trace_id));
    expect(traces.size).toBe(10);
    for (const traceId of traces) {
      const ofTrace = spans.filter(({ trace_id }) => trace_id === traceId);
      expect(outline(ofTrace)).toEqual(['custom ask', '  agent generateText', '    llm mock-1']);
    }
  });

  it('records nothing when tracing is off', async () => {
    const { spans, telemetry } = underTest({ enabled: false });
    const result = await ai.generateText({
      model: createModel(() => answer('ok')),
      prompt: 'hi',
      experimental_telemetry: telemetry,
    });
    expect(result.text).toBe('ok');
    expect(spans).toEqual([]);
  });
});
