import type { SpanData } from '../records/span.js';
import { type PromptFormat, formatRequestPrompt, withPrompt } from './prompt-formats.js';

const CHAT = {
  model: 'm',
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Weather in ' },
        { type: 'image_url', image_url: {} },
      ],
    },
    { role: 'assistant', content: null, tool_calls: [{ function: { name: 'weather', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: 'c1', content: 'mild' },
  ],
};
const CHAT_PROMPT =
  'system:\nBe brief.\n\nuser:\nWeather in [image]\n\nassistant:\n[calls weather {}]\n\ntool:\n[result of c1] mild';

describe('the prompt of a request', () => {
  it.each<[PromptFormat, Record<string, unknown>, string | undefined]>([
    ['openai.chat', CHAT, CHAT_PROMPT],
    ['openai.chat', { messages: [] }, undefined],
    ['openai.responses', { instructions: 'Be brief.', input: 'Hi' }, 'system:\nBe brief.\n\nuser:\nHi'],
    [
      'anthropic.messages',
      {
        system: 'Be brief.',
        messages: [{ role: 'user', content: [{ type: 'tool_use', name: 'f', input: {} }] }],
      },
      'system:\nBe brief.\n\nuser:\n[calls f {}]',
    ],
    [
      'google.contents',
      { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], config: { systemInstruction: 'Be brief.' } },
      'system:\nBe brief.\n\nuser:\nHi',
    ],
    ['bedrock.converse', { messages: [{ role: 'user', content: [{ text: 'Hi' }] }] }, 'user:\nHi'],
    ['cohere.chat', { preamble: 'Be brief.', message: 'Hi' }, 'system:\nBe brief.\n\nuser:\nHi'],
    ['ollama.chat', { system: 'Be brief.', prompt: 'Hi' }, 'system:\nBe brief.\n\nuser:\nHi'],
  ])('in the format %s', (format, request, prompt) => {
    expect(formatRequestPrompt(request, format)).toBe(prompt);
  });
});

describe('a record without its prompt', () => {
  const data = { input: [CHAT], meta: { prompt_format: 'openai.chat' } } as unknown as SpanData;

  it('gets the prompt from the request in its input', () => {
    expect(withPrompt(data)).toEqual({ ...data, prompt: CHAT_PROMPT });
  });

  it.each<[string, SpanData]>([
    ['it has a prompt', { ...data, prompt: 'own' }],
    ['it was recorded before the upgrade', { input: data.input!, prompt: 'recorded' }],
    ['it names no format', { input: data.input! }],
    ['its format is not known', { ...data, meta: { prompt_format: 'newer.chat' } }],
    ['its format is a name of Object', { ...data, meta: { prompt_format: 'constructor' } }],
    ['it has no input', { meta: data.meta! }],
    ['its input is no request', { ...data, input: ['text'] }],
    ['its request has no messages', { ...data, input: [{ model: 'm' }] }],
  ])('stays as it is when %s', (_, given) => {
    expect(withPrompt(given)).toBe(given);
  });
});
