import type { JsonValue } from '@dacapo/protocol';
import { readAnswer, readPrompt } from './read-messages.js';
import { readPromptText } from './read-prompt-text.js';

const text = (said: string) => ({ kind: 'text', text: said });
const call = (name: string, args: JsonValue) => ({ kind: 'call', name, arguments: args });

const QUESTION = { role: 'user', parts: [text('Weather?')] };
const SYSTEM = { role: 'system', parts: [text('Be kind.')] };
const CALL = { role: 'assistant', parts: [call('weather', { city: 'Bern' })] };
const result = (of: string, value: JsonValue = 'rain') => ({ kind: 'result', of, value });

const REQUESTS: [client: string, input: JsonValue[], messages: unknown][] = [
  [
    'OpenAI chat',
    [
      {
        model: 'small',
        messages: [
          { role: 'system', content: 'Be kind.' },
          { role: 'user', content: [{ type: 'text', text: 'Weather?' }] },
          {
            role: 'assistant',
            content: null,
            tool_calls: [
              { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } },
            ],
          },
          { role: 'tool', tool_call_id: 'c1', content: 'rain' },
        ],
      },
    ],
    [SYSTEM, QUESTION, CALL, { role: 'tool', parts: [result('c1')] }],
  ],
  [
    'OpenAI Responses',
    [
      {
        model: 'small',
        instructions: 'Be kind.',
        input: [
          { role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] },
          { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Bern"}' },
          { type: 'function_call_output', call_id: 'c1', output: 'rain' },
        ],
      },
    ],
    [SYSTEM, QUESTION, CALL, { role: 'tool', parts: [result('c1')] }],
  ],
  ['OpenAI Responses with a text', [{ model: 'small', input: 'Weather?' }], [QUESTION]],
  [
    'Anthropic',
    [
      {
        model: 'small',
        system: [{ type: 'text', text: 'Be kind.' }],
        messages: [
          { role: 'user', content: 'Weather?' },
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 't1', name: 'weather', input: { city: 'Bern' } }],
          },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'rain' }] }],
          },
        ],
      },
    ],
    [SYSTEM, QUESTION, CALL, { role: 'user', parts: [result('t1')] }],
  ],
  [
    'Google',
    [
      {
        model: 'small',
        config: { systemInstruction: { parts: [{ text: 'Be kind.' }] } },
        contents: [
          { role: 'user', parts: [{ text: 'Weather?' }] },
          { role: 'model', parts: [{ functionCall: { name: 'weather', args: { city: 'Bern' } } }] },
          { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { sky: 'rain' } } }] },
        ],
      },
    ],
    [
      SYSTEM,
      QUESTION,
      { ...CALL, role: 'model' },
      { role: 'user', parts: [result('weather', { sky: 'rain' })] },
    ],
  ],
  [
    'the AI SDK',
    [
      {
        instructions: 'Be kind.',
        messages: [
          { role: 'user', content: 'Weather?' },
          {
            role: 'assistant',
            content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: { city: 'Bern' } }],
          },
          {
            role: 'tool',
            content: [
              { type: 'tool-result', toolCallId: 'c1', toolName: 'weather', output: { sky: 'rain' } },
            ],
          },
        ],
      },
    ],
    [SYSTEM, QUESTION, CALL, { role: 'tool', parts: [result('weather', { sky: 'rain' })] }],
  ],
  [
    'LangChain',
    [
      [
        { type: 'system', content: 'Be kind.' },
        {
          lc: 1,
          type: 'constructor',
          id: ['langchain_core', 'messages', 'HumanMessage'],
          kwargs: { content: 'Weather?' },
        },
        { type: 'ai', content: '', tool_calls: [{ name: 'weather', args: { city: 'Bern' }, id: 'c1' }] },
        { type: 'tool', content: 'rain', tool_call_id: 'c1' },
      ],
    ],
    [SYSTEM, QUESTION, CALL, { role: 'tool', parts: [result('c1')] }],
  ],
  ['a second argument', ['en', [{ role: 'user', content: 'Weather?' }]], [QUESTION]],
];

describe('readPrompt', () => {
  it.each(REQUESTS)('reads the messages of %s', (_, input, messages) => {
    expect(readPrompt(input)).toEqual(messages);
  });

  it.each<[what: string, input: JsonValue[] | undefined]>([
    ['nothing', undefined],
    ['a text', ['Weather?']],
    ['a role that is a property of every object', [[{ role: 'constructor', content: 'x' }]]],
    ['people with roles', [[{ role: 'user', email: 'ann@example.com' }]]],
    [
      'a list with one entry that is not a message',
      [
        [
          { role: 'user', content: 'Weather?' },
          { role: 'boss', content: 'x' },
        ],
      ],
    ],
    ['no messages', [{ messages: [] }]],
    ['an input without a model', [{ input: 'Weather?' }]],
  ])('finds no messages in %s', (_, input) => {
    expect(readPrompt(input)).toBeUndefined();
  });

  it('keeps an unknown part as it was recorded', () => {
    const image = { type: 'image_url', image_url: { file: 'cat.png' } };
    const input = [[{ role: 'user', content: [image, { type: 'thinking', thinking: 'Hm.' }] }]];
    expect(readPrompt(input)).toEqual([
      {
        role: 'user',
        parts: [
          { kind: 'other', value: image },
          { kind: 'reasoning', text: 'Hm.' },
        ],
      },
    ]);
  });
});

describe('readAnswer', () => {
  const ANSWER = { role: 'assistant', parts: [text('Rain.')] };

  it.each<[client: string, output: JsonValue, messages: unknown]>([
    ['OpenAI chat', { choices: [{ message: { role: 'assistant', content: 'Rain.' } }] }, [ANSWER]],
    [
      'a chat that shows its reasoning',
      { choices: [{ message: { role: 'assistant', content: 'Rain.', reasoning_content: 'Clouds.' } }] },
      [{ role: 'assistant', parts: [{ kind: 'reasoning', text: 'Clouds.' }, text('Rain.')] }],
    ],
    ['several chats', [{ choices: [{ message: { role: 'assistant', content: 'Rain.' } }] }], [ANSWER]],
    [
      'OpenAI Responses',
      {
        output: [
          { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Clouds.' }] },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Rain.' }] },
        ],
      },
      [{ role: 'assistant', parts: [{ kind: 'reasoning', text: 'Clouds.' }] }, ANSWER],
    ],
    [
      'Anthropic',
      { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Rain.' }] },
      [ANSWER],
    ],
    [
      'Google',
      { candidates: [{ content: { role: 'model', parts: [{ text: 'Rain.' }] } }] },
      [{ ...ANSWER, role: 'model' }],
    ],
    ['the AI SDK', { content: [{ type: 'text', text: 'Rain.' }], finishReason: 'stop' }, [ANSWER]],
    [
      'a refusal',
      { role: 'assistant', content: null, refusal: 'No.' },
      [{ role: 'assistant', parts: [text('No.')] }],
    ],
  ])('reads the answer of %s', (_, output, messages) => {
    expect(readAnswer(output)).toEqual(messages);
  });

  it.each<JsonValue | undefined>([
    undefined,
    'Rain.',
    { reply: 'Rain.' },
    { content: 'a page' },
    [1],
    { choices: [] },
  ])('finds no messages in %j', (output) => {
    expect(readAnswer(output)).toBeUndefined();
  });
});

describe('readPromptText', () => {
  it('splits at lines with roles', () => {
    expect(readPromptText('system:\nBe kind.\n\nTo all.\n\nuser:\nWeather?')).toEqual([
      { role: 'system', parts: [text('Be kind.\n\nTo all.')] },
      QUESTION,
    ]);
  });

  it('splits at roles in brackets', () => {
    expect(readPromptText('[system]\nBe kind.\n\n[user]\nWeather?')).toEqual([SYSTEM, QUESTION]);
  });

  it.each(['Weather?', 'Weather?\n\nuser:\nNow', 'user: Weather?', ''])('finds no roles in %j', (prompt) => {
    expect(readPromptText(prompt)).toBeUndefined();
  });
});
