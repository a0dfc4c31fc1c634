import { type Dialect, TEXT } from './dialect.js';
import { type ModelReply, USED } from './model-reply.js';
import { OTHER_DIALECTS } from './other-dialects.js';

/** The reply's text in pieces, so that a stream has several. */
function pieces({ text = TEXT }: ModelReply): string[] {
  return text.match(/.{1,8}/gs) ?? [''];
}

const chat: Dialect = {
  matches: ({ path }) => path.split('?')[0]!.endsWith('/chat/completions'),
  isStream: ({ body }) => body.stream === true,
  whole: ({ model }, reply) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: `${model}-2025`,
    choices: [
      {
        index: 0,
        finish_reason: reply.toolCalls ? 'tool_calls' : 'stop',
        message: {
          role: 'assistant',
          content: reply.toolCalls ? null : (reply.text ?? TEXT),
          ...(reply.toolCalls && {
            tool_calls: reply.toolCalls.map((call, index) => ({
              id: `call_${index}`,
              type: 'function',
              function: { name: call.name, arguments: JSON.stringify(call.arguments) },
            })),
          }),
        },
      },
    ],
    usage: {
      prompt_tokens: USED.input,
      completion_tokens: USED.output,
      total_tokens: USED.input + USED.output,
      prompt_tokens_details: { cached_tokens: USED.cached },
    },
  }),
  events: ({ model }, reply) => {
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      data: {
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1,
        model,
        choices: [{ index: 0, delta, finish_reason }],
      },
    });
    const usage = {
      prompt_tokens: USED.input,
      completion_tokens: USED.output,
      total_tokens: USED.input + USED.output,
    };
    return [
      chunk({ role: 'assistant', content: '' }),
      ...(reply.toolCalls === undefined
        ? pieces(reply).map((content) => chunk({ content }))
        : reply.toolCalls.flatMap(({ name, arguments: args }, index) => [
            chunk({
              tool_calls: [
                { index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } },
              ],
            }),
            chunk({ tool_calls: [{ index, function: { arguments: JSON.stringify(args) } }] }),
          ])),
      chunk({}, reply.toolCalls ? 'tool_calls' : 'stop'),
      { data: { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices: [], usage } },
      { data: '[DONE]' },
    ];
  },
};

const responses: Dialect = {
  matches: ({ path }) => path.split('?')[0]!.endsWith('/responses'),
  isStream: ({ body }) => body.stream === true,
  whole: ({ model, body }, reply) => ({
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: `${model}-2025`,
    instructions: body.instructions ?? null,
    temperature: body.temperature ?? 1,
    tools: body.tools ?? [],
    output: reply.toolCalls
      ? reply.toolCalls.map((call, index) => ({
          type: 'function_call',
          id: `fc_${index}`,
          call_id: `call_${index}`,
          name: call.name,
          arguments: JSON.stringify(call.arguments),
          status: 'completed',
        }))
      : [
          {
            type: 'message',
            id: 'msg_1',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: reply.text ?? TEXT, annotations: [] }],
          },
        ],
    usage: {
      input_tokens: USED.input,
      output_tokens: USED.output,
      total_tokens: USED.input + USED.output,
      input_tokens_details: { cached_tokens: USED.cached },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  }),
  events: (request, reply) => {
    const response = responses.whole(request, reply);
    const event = (type: string, fields: object) => ({ event: type, data: { type, ...fields } });
    const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };
    const part = { type: 'output_text', text: '', annotations: [] };
    const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: [] };
    const texts = pieces(reply).map((delta) => event('response.output_text.delta', { ...at, delta }));
    const message = [
      event('response.output_item.added', { output_index: 0, item }),
      event('response.content_part.added', { ...at, part }),
      ...texts,
      event('response.output_text.done', { ...at, text: reply.text ?? TEXT }),
      event('response.content_part.done', { ...at, part: { ...part, text: reply.text ?? TEXT } }),
      event('response.output_item.done', {
        output_index: 0,
        item: (response as { output: object[] }).output[0],
      }),
    ];
    return [
      event('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
      ...(reply.toolCalls === undefined ? message : []),
      event('response.completed', { response }),
    ];
  },
};

const anthropic: Dialect = {
  matches: ({ path }) => path.split('?')[0]!.endsWith('/messages'),
  isStream: ({ body }) => body.stream === true,
  whole: ({ model }, reply) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: reply.toolCalls?.map((call, index) => ({
      type: 'tool_use',
      id: `toolu_${index}`,
      name: call.name,
      input: call.arguments,
    })) ?? [{ type: 'text', text: reply.text ?? TEXT }],
    stop_reason: reply.toolCalls ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: USED.input, output_tokens: USED.output },
  }),
  events: ({ model }, reply) => {
    const event = (type: string, fields: object) => ({ event: type, data: { type, ...fields } });
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
    };
    return [
      event('message_start', {
        message: { ...message, usage: { input_tokens: USED.input, output_tokens: 1 } },
      }),
      ...(reply.toolCalls?.flatMap((call, index) => [
        event('content_block_start', {
          index,
          content_block: { type: 'tool_use', id: `toolu_${index}`, name: call.name, input: {} },
        }),
        event('content_block_delta', {
          index,
          delta: { type: 'input_json_delta', partial_json: JSON.stringify(call.arguments) },
        }),
        event('content_block_stop', { index }),
      ]) ?? [
        event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
        ...pieces(reply).map((text) =>
          event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
        ),
        event('content_block_stop', { index: 0 }),
      ]),
      event('message_delta', {
        delta: { stop_reason: reply.toolCalls ? 'tool_use' : 'end_turn', stop_sequence: null },
        usage: { output_tokens: USED.output },
      }),
      event('message_stop', {}),
    ];
  },
};

const google: Dialect = {
  matches: ({ path }) => /:(stream)?generateContent/i.test(path),
  isStream: ({ path }) => path.includes('streamGenerateContent'),
  whole: ({ model }, reply) => ({
    candidates: [
      {
        index: 0,
        finishReason: 'STOP',
        content: {
          role: 'model',
          parts: reply.toolCalls?.map(({ name, arguments: args }) => ({ functionCall: { name, args } })) ?? [
            { text: reply.text ?? TEXT },
          ],
        },
      },
    ],
    usageMetadata: {
      promptTokenCount: USED.input,
      candidatesTokenCount: USED.output,
      totalTokenCount: USED.input + USED.output,
    },
    modelVersion: `${model}-001`,
    responseId: 'answer_1',
  }),
  events: (request, reply) =>
    (reply.toolCalls === undefined ? pieces(reply) : ['']).map((text) => ({
      data: google.whole(request, { ...reply, text }),
    })),
};

export const DIALECTS: readonly Dialect[] = [chat, responses, anthropic, google, ...OTHER_DIALECTS];
