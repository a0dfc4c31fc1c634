import { createTestTracer } from '../../../libs/tracer/src/testing.js';

interface Settings {
  readonly model: string;
  readonly apiKey: string;
  readonly maxRetries: number;
  readonly configuration: object;
}
interface Runnable {
  invoke(question: string, options?: object): Promise<unknown>;
}
const { ChatOpenAI } = jest.requireActual<{ ChatOpenAI: new (settings: Settings) => Runnable }>(
  '@langchain/openai',
);
const { createOpenAI } = jest.requireActual<{
  createOpenAI(settings: object): { chat(model: string): object };
}>('@ai-sdk/openai');
const { generateText } = jest.requireActual<{ generateText(options: object): Promise<unknown> }>('ai');

const fetchAnswer = (): Promise<Response> =>
  Promise.resolve(
    Response.json({
      id: 'c1',
      object: 'chat.completion',
      created: 1,
      model: 'm-1',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Mild.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 12, completion_tokens: 9, total_tokens: 21 },
    }),
  );

/** Asks once at an address; returns the provider that is recorded. */
const WAYS: Record<string, (baseURL: string | undefined) => Promise<unknown>> = {
  'the handler of LangChain': async (baseURL) => {
    const { tracer, spans } = createTestTracer();
    const model = new ChatOpenAI({ ...SETTINGS, configuration: { baseURL, fetch: fetchAnswer } });
    await model.invoke('Weather?', { callbacks: [tracer.getLangChainHandler()] });
    return spans[0]?.span_data.usage?.['provider'];
  },
  'a wrapped model of LangChain': async (baseURL) => {
    const { tracer, spans } = createTestTracer();
    const configuration = { baseURL, fetch: fetchAnswer };
    await tracer.wrapModel(new ChatOpenAI({ ...SETTINGS, configuration })).invoke('Weather?');
    return spans[0]?.span_data.usage?.['provider'];
  },
  'a wrapped model of the AI SDK': async (baseURL) => {
    const { tracer, spans } = createTestTracer();
    const model = createOpenAI({ apiKey: 'k', baseURL, fetch: fetchAnswer }).chat('m');
    await generateText({ model: tracer.wrapModel(model), prompt: 'Weather?' });
    return spans[0]?.span_data.usage?.['provider'];
  },
};
const SETTINGS = { model: 'm', apiKey: 'k', maxRetries: 0 };

describe.each(Object.entries(WAYS))('the provider of %s', (_, ask) => {
  it('is that of the address, and absent at an unknown one', async () => {
    expect(await ask('https://api.groq.com/openai/v1')).toBe('groq');
    expect(await ask('https://models.example.com/v1')).toBeUndefined();
    expect(await ask(undefined)).toMatch(/^openai/);
  });
});
