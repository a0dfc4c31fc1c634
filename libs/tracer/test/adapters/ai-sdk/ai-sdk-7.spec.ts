import { generateText, isStepCount, simulateReadableStream, streamText, tool } from 'ai-v7';
import { MockLanguageModelV4 } from 'ai-v7/test';
import { z } from 'zod';
import type { TracerOptions } from '../../../src/options/tracer-options.js';
import { createTestTracer } from '../../../src/testing.js';
import { named, orphans, outline } from '../outline.js';

const usage = {
  inputTokens: { total: 12, noCache: 8, cacheRead: 4, cacheWrite: 0 },
  outputTokens: { total: 9, text: 9, reasoning: 0 },
};
const reason = (unified: string) => ({ unified, raw: unified });
const answer = (text: string) => ({
  content: [{ type: 'text', text }],
  finishReason: reason('stop'),
  usage,
  warnings: [],
});
const toolCall = (toolCallId: string, input: object) => ({
  content: [{ type: 'tool-call', toolCallId, toolName: 'weather', input: JSON.stringify(input) }],
  finishReason: reason('tool-calls'),
  usage,
  warnings: [],
});

function createModel(...answers: (() => object)[]): MockLanguageModelV4 {
  let calls = 0;
  return new MockLanguageModelV4({
    modelId: 'mock-1',
    doGenerate: (async () => answers[calls++]!()) as never,
  });
}

const REST = [
  { type: 'text-delta', id: '1', delta: 'lo.' },
  { type: 'text-end', id: '1' },
  { type: 'finish', finishReason: reason('stop'), usage },
];

function streaming(...rest: object[]): MockLanguageModelV4 {
  const chunks = [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: 'Hel' },
    ...(rest.length === 0 ? REST : rest),
  ] as never[];
  return new MockLanguageModelV4({
    doStream: async () => ({ stream: simulateReadableStream({ chunks }) }),
  });
}

function underTest(options: TracerOptions = {}) {
  const test = createTestTracer(options);
  return { ...test, telemetry: { integrations: [test.tracer.getAiSdkTelemetry()], functionId: 'forecast' } };
}

describe('AI SDK 7 through its telemetry integration', () => {
  it('records an operation with its model calls and tools as one tree', async () => {
    const { tracer, spans, telemetry } = underTest();
    const lookUp = tracer.withSpan('look-up', async (name: string) => ({ name, degrees: 21 }));
    const weather = tool({
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => lookUp(city),
    });
    const ask = tracer.withSpan('ask', async (prompt: string) => {
      const model = createModel(() => toolCall('c1', { city: 'Oslo' }), () => answer('Mild.')); // prettier-ignore
      const result = await generateText({
        model,
        instructions: 'Be brief.',
        prompt,
        tools: { weather },
        stopWhen: isStepCount(3),
        telemetry,
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
    expect(named(spans, 'mock-1')).toMatchObject({
      trace_function_key: 'ai.model',
      span_data: {
        prompt: 'system:\nBe brief.\n\nuser:\nWeather?',
        output: [{ type: 'tool-call', toolName: 'weather' }],
        usage: {
          model: 'mock-1',
          provider: 'mock-provider',
          input_tokens: 12,
          output_tokens: 9,
          cached_input_tokens: 4,
        },
        contexts: [{ tools: [{ name: 'weather' }] }, { finishReason: 'tool-calls', responseModel: 'mock-1' }],
      },
    });
    expect(named(spans, 'weather').kind).toBe('tool');
    expect(named(spans, 'weather').span_data).toMatchObject({
      input: [{ city: 'Oslo' }],
      output: { name: 'Oslo' },
    });
    expect(named(spans, 'forecast')).toMatchObject({
      trace_function_key: 'ai.generateText.forecast',
      span_data: { output: 'Mild.' },
    });
    expect(spans.filter(({ span_data }) => span_data.usage).map(({ type }) => type)).toEqual(['llm', 'llm']);
  });

  it('keeps parallel tools apart', async () => {
    const { tracer, spans, telemetry } = underTest();
    const lookUp = tracer.withSpan('look-up', async (name: string) => {
      await new Promise(setImmediate);
      return name;
    });
    const weather = tool({
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => lookUp(city),
    });
    const both = { ...toolCall('a', { city: 'A' }), content: [toolCall('a', { city: 'A' }), toolCall('b', { city: 'B' })].flatMap(({ content }) => content) }; // prettier-ignore
    const model = createModel(() => both, () => answer('ok')); // prettier-ignore
    await generateText({ model, prompt: 'x', tools: { weather }, stopWhen: isStepCount(3), telemetry });
    for (const looked of spans.filter(({ name }) => name === 'look-up')) {
      const parent = spans.find(({ id }) => id === looked.parent_id);
      expect(parent).toMatchObject({
        name: 'weather',
        span_data: { input: [{ city: looked.span_data.input![0] }] },
      });
    }
  });

  it('records the tools of every step, even if the model gives their calls the same id', async () => {
    const { spans, telemetry } = underTest();
    const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => city });
    const model = createModel(
      () => toolCall('call_0', { city: 'Oslo' }),
      () => toolCall('call_0', { city: 'Rome' }),
      () => answer('Mild.'),
    );
    await generateText({ model, prompt: 'x', tools: { weather }, stopWhen: isStepCount(3), telemetry });
    const tools = spans.filter(({ name }) => name === 'weather');
    expect(tools.map(({ span_data: { output } }) => output)).toEqual(['Oslo', 'Rome']);
  });

  it('records a stream to its end', async () => {
    const { spans, telemetry } = underTest();
    const result = streamText({ model: streaming(), prompt: 'hi', telemetry });
    let text = '';
    for await (const chunk of result.textStream) text += chunk;
    expect(text).toBe('Hello.');
    expect(outline(spans)).toEqual(['agent forecast', '  llm mock-model-id']);
    expect(named(spans, 'mock-model-id').span_data.usage).toMatchObject({
      output_tokens: 9,
      time_to_first_token_ms: expect.any(Number),
    });
  });

  it.each([['and says no more'], ['and tells its end']])(
    'records a stream that breaks off %s as failed',
    async (how) => {
      const { spans, telemetry } = underTest();
      const end = { type: 'finish', finishReason: reason('error'), usage };
      const model = streaming(
        { type: 'error', error: new Error('lost') },
        ...(how.includes('end') ? [end] : []),
      );
      const result = streamText({ model, prompt: 'hi', onError: () => undefined, telemetry });
      await result.consumeStream();
      expect(spans).toMatchObject([
        { name: 'mock-model-id', status: 'error' },
        { name: 'forecast', status: 'error', span_data: { output: 'Hel' } },
      ]);
    },
  );

  it('records what the provider sent before a stream broke', async () => {
    const { spans, telemetry } = underTest();
    const model = streaming(
      { type: 'error', error: new RangeError('overloaded') },
      { type: 'finish', finishReason: reason('error'), usage },
    );
    await streamText({ model, prompt: 'hi', onError: () => undefined, telemetry }).consumeStream();
    const error = { name: 'RangeError', message: 'overloaded' };
    expect(spans).toMatchObject([{ span_data: { error } }, { span_data: { error } }]);
  });

  it('takes the session and a context from the runtime context of a call', async () => {
    const { tracer, spans, traces, telemetry } = underTest();
    await generateText({
      model: createModel(() => answer('ok')),
      prompt: 'x',
      runtimeContext: { sessionId: 'chat-7', plan: 'pro' },
      telemetry: { ...telemetry, includeRuntimeContext: { sessionId: true, plan: true } },
    });
    expect(traces).toMatchObject([{ session_id: 'chat-7' }]);
    expect(tracer.stats().recorded).toBe(spans.length);
    expect(named(spans, 'forecast').span_data.contexts).toMatchObject([{ plan: 'pro' }, {}]);
  });

  it('records an aborted stream as cancelled', async () => {
    const { spans, telemetry } = underTest();
    const abort = new AbortController();
    const result = streamText({ model: streaming(), prompt: 'hi', abortSignal: abort.signal, telemetry });
    for await (const chunk of result.textStream) {
      expect(chunk).toBeDefined();
      abort.abort();
    }
    expect(spans.map(({ name, status }) => [name, status])).toEqual([
      ['mock-model-id', 'cancelled'],
      ['forecast', 'cancelled'],
    ]);
  });

  it('records a failure on the model call and the operation, and leaves the error as it is', async () => {
    const { spans, telemetry } = underTest();
    const error = new TypeError('boom');
    const model = createModel(() => {
      throw error;
    });
    await expect(generateText({ model, prompt: 'x', maxRetries: 0, telemetry })).rejects.toBe(error);
    expect(spans).toMatchObject([
      { name: 'mock-1', status: 'error', span_data: { error: { name: 'TypeError', message: 'boom' } } },
      { name: 'forecast', status: 'error' },
    ]);
  });

  it('records a tool that throws', async () => {
    const { spans, telemetry } = underTest();
    const weather = tool({
      inputSchema: z.object({ city: z.string() }),
      execute: async (): Promise<string> => {
        throw new RangeError('no such city');
      },
    });
    const model = createModel(() => toolCall('c1', { city: 'X' }), () => answer('Sorry.')); // prettier-ignore
    await generateText({ model, prompt: 'x', tools: { weather }, stopWhen: isStepCount(3), telemetry });
    expect(named(spans, 'weather')).toMatchObject({
      status: 'error',
      span_data: { error: { message: 'no such city' } },
    });
    expect(named(spans, 'forecast').status).toBe('ok');
  });

  it('records nothing when tracing is off', async () => {
    const { spans, telemetry } = underTest({ enabled: false });
    await expect(
      generateText({ model: createModel(() => answer('ok')), prompt: 'hi', telemetry }),
    ).resolves.toMatchObject({ text: 'ok' });
    expect(spans).toEqual([]);
  });

  it('never throws or rejects for any argument', async () => {
    const { tracer } = underTest({ logger: { warn: () => undefined } });
    const telemetry = tracer.getAiSdkTelemetry();
    await telemetry.onToolExecutionStart({ callId: 'unknown' });
    await telemetry.onStart({});
    await telemetry.onEnd({ callId: 'unknown' });
    await telemetry.onError(undefined);
    await telemetry.onLanguageModelCallEnd({ callId: 'unknown' });
  });
});
