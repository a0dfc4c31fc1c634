import '@langchain/core/context';
import type { BaseCallbackHandler, CallbackHandlerMethods } from '@langchain/core/callbacks/base';
import { Document } from '@langchain/core/documents';
import { AIMessage } from '@langchain/core/messages';
import { ChatPromptTemplate } from '@langchain/core/prompts';
import { BaseRetriever } from '@langchain/core/retrievers';
import { RunnableLambda, RunnableSequence } from '@langchain/core/runnables';
import { tool } from '@langchain/core/tools';
import { FakeListChatModel, FakeStreamingLLM } from '@langchain/core/utils/testing';
import { FakeChatModel } from '@langchain/core/utils/testing';
import { z } from 'zod';
import { createTestTracer } from '../../src/testing.js';
import type { LangChainHandler } from '../../src/adapters/langchain/langchain-types.js';
import type { TracerOptions } from '../../src/options/tracer-options.js';
import { named, orphans, outline } from './outline.js';

function underTest(options: TracerOptions = {}) {
  const test = createTestTracer(options);
  const callbacks = [test.tracer.getLangChainHandler() as unknown as BaseCallbackHandler];
  return { ...test, callbacks };
}

class Library extends BaseRetriever {
  lc_namespace = ['test'];
  override async _getRelevantDocuments(query: string): Promise<Document[]> {
    return [new Document({ pageContent: `about ${query}` })];
  }
}

const weather = tool(async ({ city }: { city: string }) => ({ city, degrees: 21 }), {
  name: 'weather',
  description: 'The weather in a city',
  schema: z.object({ city: z.string() }),
});

describe('the LangChain handler', () => {
  it('fits the type of callbacks without being of its class', () => {
    const fits: LangChainHandler extends CallbackHandlerMethods ? true : false = true;
    expect(fits).toBe(true);
  });

  it('records a chain as one tree, with prompt and output of its model', async () => {
    const { spans, callbacks } = underTest();
    const prompt = ChatPromptTemplate.fromMessages([['system', 'Be brief.'], ['human', '{question}']]); // prettier-ignore
    const model = new FakeListChatModel({ responses: ['Mild.'] });
    const chain = RunnableSequence.from([prompt, model]).withConfig({ runName: 'answer' });
    await chain.invoke({ question: 'Weather?' }, { callbacks });

    expect(outline(spans)).toEqual([
      'custom answer',
      '  custom ChatPromptTemplate',
      '  llm FakeListChatModel',
    ]);
    expect(named(spans, 'FakeListChatModel')).toMatchObject({
      trace_function_key: 'langchain.model.FakeListChatModel',
      status: 'ok',
      span_data: {
        prompt: 'system:\nBe brief.\n\nuser:\nWeather?',
        usage: { provider: 'FakeListChatModel' },
      },
    });
    expect(JSON.stringify(named(spans, 'FakeListChatModel').span_data.output)).toContain('Mild.');
    expect(named(spans, 'answer').span_data.input).toEqual([{ question: 'Weather?' }]);
  });

  it('reads usage, model and finish reason from where the message has them', async () => {
    const { spans, tracer } = underTest();
    const handler = tracer.getLangChainHandler();
    const runId = '01a1fd2b-0682-70a0-ad5e-0e9b3888b0f2';
    await handler.handleChatModelStart(
      { id: ['langchain', 'ChatOpenAI'] },
      [[new AIMessage('hi')]],
      runId,
      undefined,
      {},
      [],
      {
        ls_model_name: 'gpt-4o-mini',
        ls_provider: 'openai',
      },
    );
    const message = Object.assign(new AIMessage('Hello.'), {
      usage_metadata: {
        input_tokens: 12,
        output_tokens: 9,
        total_tokens: 21,
        input_token_details: { cache_read: 4, cache_creation: 2 },
        output_token_details: { reasoning: 3 },
      },
      response_metadata: { model_name: 'gpt-4o-mini-2025', finish_reason: 'stop' },
    });
    await handler.handleLLMEnd({ generations: [[{ text: 'Hello.', message }]] }, runId);
    expect(spans[0]).toMatchObject({
      trace_id: runId,
      name: 'ChatOpenAI',
      span_data: {
        usage: {
          model: 'gpt-4o-mini',
          provider: 'openai',
          input_tokens: 12,
          output_tokens: 9,
          cached_input_tokens: 4,
          cache_creation_input_tokens: 2,
          reasoning_tokens: 3,
        },
        contexts: [{ finishReason: 'stop', responseModel: 'gpt-4o-mini-2025' }],
      },
    });
  });

  it('records tools and retrievers with their arguments', async () => {
    const { spans, callbacks } = underTest();
    await weather.invoke({ city: 'Oslo' }, { callbacks });
    await new Library().invoke('fjords', { callbacks });
    expect(named(spans, 'weather')).toMatchObject({
      type: 'function',
      kind: 'tool',
      span_data: { input: [{ city: 'Oslo' }] },
    });
    expect(JSON.stringify(named(spans, 'weather').span_data.output)).toContain('21');
    expect(named(spans, 'Library')).toMatchObject({
      type: 'function',
      kind: 'retrieval',
      span_data: { input: ['fjords'] },
    });
  });

  it('makes one tree with spans of the application, outside and inside', async () => {
    const { tracer, spans, callbacks } = underTest();
    const lookUp = tracer.withSpan('look-up', async (city: string) => weather.invoke({ city }));
    const step = RunnableLambda.from(async (city: string) => lookUp(city)).withConfig({ runName: 'step' });
    const answer = tracer.withSpan('answer', async (city: string) => step.invoke(city, { callbacks }));
    await answer('Oslo');
    expect(outline(spans)).toEqual([
      'custom answer',
      '  custom step',
      '    custom look-up',
      '      function weather',
    ]);
    expect(new Set(spans.map(({ trace_id }) => trace_id)).size).toBe(1);
  });

  it('keeps concurrent runs apart', async () => {
    const { tracer, spans, callbacks } = underTest();
    const note = tracer.withSpan('note', async (text: string) => text);
    const step = RunnableLambda.from(async (text: string) => {
      await new Promise(setImmediate);
      return note(text);
    }).withConfig({ runName: 'step' });
    await Promise.all(Array.from({ length: 10 }, (_, index) => step.invoke(`t${index}`, { callbacks })));
    expect(orphans(spans)).toEqual([]);
    for (const noted of spans.filter(({ name }) => name === 'note')) {
      const parent = spans.find(({ id }) => id === noted.parent_id);
      expect(parent?.span_data.input).toEqual([{ input: noted.span_data.input![0] }]);
    }
  });

  it('records a stream with the time to its first token', async () => {
    const { spans, callbacks } = underTest();
    const model = new FakeStreamingLLM({ responses: ['Hello'] });
    const chunks: string[] = [];
    for await (const chunk of await model.stream('hi', { callbacks })) chunks.push(chunk);
    expect(chunks.join('')).toBe('Hello');
    expect(spans).toMatchObject([
      { type: 'llm', status: 'ok', span_data: { output: 'Hello', prompt: 'user:\nhi' } },
    ]);
    expect(spans[0]!.span_data.usage).toMatchObject({ time_to_first_token_ms: expect.any(Number) });
  });

  it('records the error of a step and of all around it, and throws it unchanged', async () => {
    const { spans, callbacks } = underTest();
    const error = new TypeError('no such place');
    const chain = RunnableSequence.from([
      RunnableLambda.from(() => 'x').withConfig({ runName: 'first' }),
      RunnableLambda.from(() => {
        throw error;
      }).withConfig({ runName: 'second' }),
    ]).withConfig({ runName: 'all' });
    await expect(chain.invoke('hi', { callbacks })).rejects.toBe(error);
    expect(named(spans, 'second')).toMatchObject({
      status: 'error',
      span_data: { error: { name: 'TypeError' } },
    });
    expect(named(spans, 'all').status).toBe('error');
    expect(named(spans, 'first').status).toBe('ok');
  });

  it('records a step that throws undefined as failed', async () => {
    const { spans, callbacks } = underTest();
    const step = RunnableLambda.from(() => Promise.reject(undefined as unknown as Error));
    await expect(step.invoke('hi', { callbacks })).rejects.toBeUndefined();
    expect(spans).toMatchObject([{ status: 'error' }]);
  });

  it('records tags and metadata once, where they were set', async () => {
    const { spans, callbacks } = underTest();
    const chain = RunnableSequence.from([
      RunnableLambda.from((text: string) => text).withConfig({ runName: 'first', tags: ['own'] }),
      RunnableLambda.from((text: string) => text).withConfig({ runName: 'second' }),
    ]).withConfig({ runName: 'all' });
    await chain.invoke('hi', { callbacks, tags: ['beta'], metadata: { customer: 'acme' } });
    expect(named(spans, 'all').span_data.contexts).toEqual([{ tags: ['beta'] }, { customer: 'acme' }]);
    expect(named(spans, 'first').span_data.contexts).toEqual([{ tags: ['own'] }]);
    expect(named(spans, 'second').span_data.contexts).toBeUndefined();
  });

  it('does not record the control flow of a graph as an error', async () => {
    const { spans, callbacks } = underTest();
    const interrupts = [{ value: 'Send it?' }];
    const waiting = Object.assign(new Error('waits'), {
      name: 'GraphInterrupt',
      is_bubble_up: true,
      interrupts,
    });
    const step = RunnableLambda.from(() => Promise.reject(waiting)).withConfig({ runName: 'approve' });
    await expect(step.invoke('hi', { callbacks })).rejects.toBe(waiting);
    expect(spans).toMatchObject([{ name: 'approve', status: 'ok', span_data: { output: { interrupts } } }]);
  });

  it('takes the session from the metadata', async () => {
    const { tracer, traces, callbacks } = underTest();
    await weather.invoke({ city: 'Oslo' }, { callbacks, metadata: { thread_id: 'chat-42' } });
    expect(traces).toMatchObject([{ session_id: 'chat-42' }]);
    expect(tracer.stats().recorded).toBe(1);
  });

  it('records nothing when tracing is off', async () => {
    const { spans, callbacks } = underTest({ enabled: false });
    await expect(new FakeChatModel({}).invoke('hi', { callbacks })).resolves.toBeDefined();
    expect(spans).toEqual([]);
  });

  it('never throws or rejects for any argument', async () => {
    const { tracer } = underTest({ logger: { warn: () => undefined } });
    const handler = tracer.getLangChainHandler();
    await expect(
      Promise.all([
        handler.handleChatModelStart({}, undefined as never, 'a'),
        handler.handleLLMStart(undefined as never, undefined as never, 'b'),
        handler.handleLLMEnd({}, 'never started'),
        handler.handleToolStart(undefined as never, '{', 'c'),
        handler.handleToolEnd(undefined, 'c'),
      ]),
    ).resolves.toBeDefined();
  });
});
