import type OpenAI from 'openai';
import { CITY_SCHEMA, MILD_SCHEMA, QUESTION, type VendorApi, describeWeather } from './vendor-api.js';

export function newOpenAi(Client: typeof OpenAI, url: string): OpenAI {
  return new Client({ apiKey: 'k', baseURL: `${url}/v1`, maxRetries: 1, logLevel: 'off' });
}

/** In version 4 the helpers are elsewhere. */
export function findHelpers({ chat, beta }: OpenAI): OpenAI['chat']['completions'] {
  return 'parse' in chat.completions ? chat.completions : (beta as unknown as OpenAI).chat.completions;
}

export function openAiChat(client: OpenAI): VendorApi {
  const { chat } = client;
  const helpers = findHelpers(client);
  const body = (model: string, content = QUESTION) => ({
    model,
    messages: [{ role: 'user' as const, content }],
  });
  return {
    plain: async (model, question) => chat.completions.create(body(model, question)),
    aborting: async (model, signal) => chat.completions.create(body(model), { signal }),
    stream: async (model, question, signal) =>
      chat.completions.create({ ...body(model, question), stream: true }, signal && { signal }),
    helper: (model) => helpers.stream(body(model)).finalChatCompletion(),
    tools: (model) =>
      helpers
        .runTools({
          ...body(model),
          tools: [
            {
              type: 'function',
              function: {
                name: 'weather',
                description: 'The weather of a city.',
                parameters: CITY_SCHEMA,
                parse: JSON.parse as (text: string) => { city: string },
                function: describeWeather,
              },
            },
          ],
        })
        .finalContent(),
    structured: async (model) => {
      const json_schema = { name: 'weather', schema: MILD_SCHEMA };
      const answer = await helpers.parse({
        ...body(model),
        response_format: { type: 'json_schema', json_schema },
      });
      return answer.choices[0]?.message.parsed;
    },
  };
}

export function openAiResponses({ responses }: OpenAI): VendorApi {
  const body = (model: string, input = QUESTION) => ({ model, instructions: 'Be brief.', input });
  const tools = [
    { type: 'function' as const, name: 'weather', description: '', parameters: CITY_SCHEMA, strict: false },
  ];
  return {
    plain: async (model, question) => responses.create(body(model, question)),
    aborting: async (model, signal) => responses.create(body(model), { signal }),
    stream: async (model, question, signal) =>
      responses.create({ ...body(model, question), stream: true }, signal && { signal }),
    helper: (model) => responses.stream(body(model)).finalResponse(),
    tools: async (model) => {
      const { output } = await responses.create({ ...body(model), tools });
      const call = output.find((item) => item.type === 'function_call');
      if (call === undefined) throw new Error('no tool was called');
      const result = {
        type: 'function_call_output' as const,
        call_id: call.call_id,
        output: describeWeather(JSON.parse(call.arguments) as { city: string }),
      };
      const input = [{ role: 'user' as const, content: QUESTION }, call, result];
      return (await responses.create({ model, input, tools })).output_text;
    },
    structured: async (model) => {
      const format = { type: 'json_schema' as const, name: 'weather', schema: MILD_SCHEMA };
      return (await responses.parse({ ...body(model), text: { format } })).output_parsed;
    },
  };
}
