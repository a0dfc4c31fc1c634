import type Anthropic from '@anthropic-ai/sdk';
import { CITY_SCHEMA, MILD_SCHEMA, QUESTION, type VendorApi, describeWeather } from './vendor-api.js';

export function newAnthropic(Client: typeof Anthropic, url: string): Anthropic {
  return new Client({ apiKey: 'k', baseURL: url, maxRetries: 1, logLevel: 'off' });
}

export function anthropicMessages({ messages, beta }: Anthropic): VendorApi {
  const body = (model: string, content = QUESTION) => ({
    model,
    max_tokens: 100,
    messages: [{ role: 'user' as const, content }],
  });
  const weather = { name: 'weather', description: 'The weather of a city.', input_schema: CITY_SCHEMA };
  return {
    plain: async (model, question) => messages.create(body(model, question)),
    aborting: async (model, signal) => messages.create(body(model), { signal }),
    stream: async (model, question, signal) =>
      messages.create({ ...body(model, question), stream: true }, signal && { signal }),
    helper: (model) => messages.stream(body(model)).finalMessage(),
    tools: async (model) => {
      const request = { ...body(model), tools: [weather] };
      if ('toolRunner' in beta.messages) {
        const run = (value: unknown): string => describeWeather(value as { city: string });
        const parse = (value: unknown): unknown => value;
        const tool = { ...weather, type: 'custom' as const, parse, run };
        return (await beta.messages.toolRunner({ ...request, tools: [tool] })).content;
      }
      // The older versions have no runner.
      const called = await messages.create(request);
      const call = called.content.find((block) => block.type === 'tool_use');
      if (call === undefined) throw new Error('no tool was called');
      const result = {
        type: 'tool_result' as const,
        tool_use_id: call.id,
        content: describeWeather(call.input as { city: string }),
      };
      return (
        await messages.create({
          ...request,
          messages: [
            ...request.messages,
            { role: 'assistant', content: called.content },
            { role: 'user', content: [result] },
          ],
        })
      ).content;
    },
    structured: async (model) => {
      if (!('parse' in messages)) {
        const { content } = await (messages as Anthropic['messages']).create(body(model));
        return JSON.parse(
          content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
        ) as unknown;
      }
      const format = { type: 'json_schema' as const, schema: MILD_SCHEMA };
      const { content } = await messages.parse({ ...body(model), output_config: { format } });
      return content;
    },
  };
}
