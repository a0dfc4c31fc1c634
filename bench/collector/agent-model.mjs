/** A model on loopback that calls a tool in each step but the last, with the three endpoints that agents use. */
import { createServer } from 'node:http';

export async function startModel(pick) {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.once('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString());
      const answer = answers.find(([path]) => request.url.endsWith(path))[1](body, pick(body));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

let last = 0;
const id = (kind) => `${kind}_${(++last).toString(36).padStart(24, '0')}`;

const answers = [
  [
    '/chat/completions',
    ({ model }, { text, call }) => ({
      id: id('chatcmpl'),
      object: 'chat.completion',
      created: 1767222000,
      model,
      service_tier: 'default',
      choices: [
        {
          index: 0,
          finish_reason: call ? 'tool_calls' : 'stop',
          logprobs: null,
          message: {
            role: 'assistant',
            content: text,
            refusal: null,
            annotations: [],
            ...(call && {
              tool_calls: [
                {
                  id: id('call'),
                  type: 'function',
                  function: { name: call.name, arguments: JSON.stringify(call.args) },
                },
              ],
            }),
          },
        },
      ],
      usage: {
        prompt_tokens: 2000,
        completion_tokens: 90,
        total_tokens: 2090,
        prompt_tokens_details: { cached_tokens: 1024 },
      },
    }),
  ],
  [
    '/responses',
    ({ model, instructions = null, tools = [], tool_choice = 'auto' }, { text, call }) => ({
      id: id('resp'),
      object: 'response',
      created_at: 1767222000,
      status: 'completed',
      error: null,
      model,
      instructions,
      tools,
      tool_choice,
      temperature: 1,
      top_p: 1,
      parallel_tool_calls: true,
      text: { format: { type: 'text' } },
      output: [
        {
          type: 'message',
          id: id('msg'),
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text, annotations: [] }],
        },
        ...(call
          ? [
              {
                type: 'function_call',
                id: id('fc'),
                call_id: id('call'),
                name: call.name,
                arguments: JSON.stringify(call.args),
                status: 'completed',
              },
            ]
          : []),
      ],
      usage: {
        input_tokens: 2000,
        output_tokens: 90,
        total_tokens: 2090,
        input_tokens_details: { cached_tokens: 1024 },
        output_tokens_details: { reasoning_tokens: 0 },
      },
    }),
  ],
  [
    '/messages',
    ({ model }, { text, call }) => ({
      id: id('msg'),
      type: 'message',
      role: 'assistant',
      model,
      stop_reason: call ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      content: [
        { type: 'text', text },
        ...(call ? [{ type: 'tool_use', id: id('toolu'), name: call.name, input: call.args }] : []),
      ],
      usage: {
        input_tokens: 2000,
        output_tokens: 90,
        cache_read_input_tokens: 1024,
        cache_creation_input_tokens: 0,
      },
    }),
  ],
];
