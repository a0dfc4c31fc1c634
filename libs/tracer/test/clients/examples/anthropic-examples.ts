import type Anthropic from '@anthropic-ai/sdk';
import type { Middleware } from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { z } from 'zod';
import { CITY, type Example, weather } from './example.js';

const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'What is the weather in Oslo?' }];
const request = { model: 'm', max_tokens: 100, messages };
const tools = [{ name: 'weather', description: 'The weather.', input_schema: CITY }];
const MILD = {
  type: 'object',
  properties: { mild: { type: 'boolean' } },
  required: ['mild'],
  additionalProperties: false,
} as const;
const runnable = betaZodTool({
  name: 'weather',
  description: 'The weather.',
  inputSchema: z.object({ city: z.string() }),
  run: weather,
});

/** What the examples in the repository of the client do, in the terms of a weather desk. */
export const ANTHROPIC_EXAMPLES: Record<string, Example<Anthropic>> = {
  demo: async (newClient, print) => {
    print(await newClient().messages.create(request));
  },
  'raw-streaming': async (newClient, print) => {
    for await (const event of await newClient().messages.create({ ...request, stream: true }))
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') print(event.delta.text);
  },
  'cancellation, by break and by abort': async (newClient, print) => {
    const client = newClient();
    for await (const event of await client.messages.create({ ...request, stream: true })) {
      print(event);
      if (event.type === 'content_block_delta') break;
    }
    const stream = await client.messages.create({ ...request, stream: true });
    for await (const event of stream) {
      // What has come already when it is aborted may still be given.
      if (!stream.controller.signal.aborted) print(event);
      if (event.type === 'content_block_start') stream.controller.abort();
    }
  },
  'count-tokens': async (newClient, print) => {
    print(await newClient().messages.countTokens({ model: 'm', messages }));
  },
  streaming: async (newClient, print) => {
    const stream = newClient()
      .messages.stream(request)
      .on('contentBlock', (content) => {
        print('contentBlock', content);
      })
      .on('message', (message) => {
        print('message', message);
      });
    for await (const event of stream) print('event', event);
    print('finalMessage', await stream.finalMessage());
  },
  'thinking-stream': async (newClient, print) => {
    const stream = newClient()
      .messages.stream({ ...request, thinking: { type: 'enabled', budget_tokens: 1600 } })
      .on('thinking', (thinking) => {
        print('thinking', thinking);
      })
      .on('text', (text) => {
        print(text);
      });
    print(await stream.finalMessage());
  },
  'structured-outputs, by a schema': async (newClient, print) => {
    const output_config = { format: jsonSchemaOutputFormat(MILD) };
    const message = await newClient().messages.parse({ ...request, output_config });
    print(message, message.parsed_output?.mild);
  },
  'structured-outputs-raw': async (newClient, print) => {
    const output_config = { format: { type: 'json_schema' as const, schema: MILD } };
    print((await newClient().messages.parse({ ...request, output_config })).parsed_output);
  },
  'structured-outputs-streaming': async (newClient, print) => {
    const output_config = { format: zodOutputFormat(z.object({ mild: z.boolean() })) };
    const stream = newClient().messages.stream({ ...request, output_config });
    for await (const event of stream) print(event);
    print((await stream.finalMessage()).parsed_output?.mild);
  },
  tools: async (newClient, print) => {
    const client = newClient();
    const response = await client.messages.create({ ...request, tools });
    const call = response.content.find((block) => block.type === 'tool_use');
    print(response.stop_reason, call);
    const content = [{ type: 'tool_result' as const, tool_use_id: call!.id, content: '20 degrees' }];
    const answered: Anthropic.MessageParam[] = [
      ...messages,
      { role: response.role, content: response.content },
      { role: 'user', content },
    ];
    print(await client.messages.create({ ...request, messages: answered, tools }));
  },
  'tools-streaming': async (newClient, print) => {
    const stream = newClient()
      .messages.stream({ ...request, tools })
      .on('inputJson', (delta, snapshot) => {
        print(delta, snapshot);
      });
    await stream.done();
  },
  'tools-helpers-zod': async (newClient, print) => {
    print(await newClient().beta.messages.toolRunner({ ...request, tools: [runnable], max_iterations: 5 }));
  },
  'tools-helpers-advanced': async (newClient, print) => {
    const runner = newClient().beta.messages.toolRunner({ ...request, tools: [runnable] });
    for await (const message of runner) {
      print(message.content);
      print(await runner.generateToolResponse());
    }
  },
  'tools-helpers-advanced-streaming': async (newClient, print) => {
    const runner = newClient().beta.messages.toolRunner({ ...request, tools: [runnable], stream: true });
    for await (const stream of runner) {
      for await (const event of stream) print(event);
      print(await runner.generateToolResponse());
    }
  },
  middleware: async (newClient, print) => {
    const middleware: Middleware[] = [
      async (first, next) => {
        first.headers.set('x-desk', 'weather');
        const response = await next(first);
        print(first.method, response.status, response.headers.get('request-id'));
        return response;
      },
      async (first, next, context) => {
        const response = await next(first);
        print((await context.parse<Anthropic.Message>(response)).usage);
        return response;
      },
    ];
    print(await newClient({ middleware }).messages.create(request));
  },
  'mcp servers of a beta route': async (newClient, print) => {
    const server = { type: 'url' as const, url: 'https://tools.example.test/sse', name: 'example' };
    const stream = newClient().beta.messages.stream(
      { ...request, mcp_servers: [server] },
      { headers: { 'anthropic-beta': 'mcp-client-2025-04-04' } },
    );
    for await (const event of stream) print(event);
  },
  'web-search-stream': async (newClient, print) => {
    const search = { name: 'web_search' as const, type: 'web_search_20250305' as const };
    const stream = newClient()
      .messages.stream({ ...request, model: 'no-tools', tools: [search] })
      .on('text', (text) => {
        print(text);
      })
      .on('streamEvent', ({ type }) => {
        print(type);
      });
    print((await stream.finalMessage()).usage);
  },
  'an error': async (newClient, print) => {
    await newClient()
      .messages.create({ ...request, model: 'no-such-model' })
      .catch((error: unknown) => {
        const { constructor, status, message } = error as Error & { status?: number };
        print(constructor.name, status, message);
      });
  },
};
