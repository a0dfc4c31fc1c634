import type OpenAI from 'openai';
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream';
import { z } from 'zod';
import { CITY, type Example, weather } from './example.js';

const model = 'm';
const messages = [{ role: 'user' as const, content: 'What is the weather in Oslo?' }];
const tools: ChatCompletionTool[] = [
  { type: 'function', function: { name: 'weather', description: 'The weather.', parameters: CITY } },
];
const City = z.object({ city: z.string() });
const Report = z.object({ mild: z.boolean() });

/** What the examples of chats in the repository of the client do, in the terms of a weather desk. */
export const OPENAI_CHAT_EXAMPLES: Record<string, Example<OpenAI>> = {
  demo: async (newClient, print) => {
    const { chat } = newClient();
    print((await chat.completions.create({ model, messages })).choices[0]?.message.content);
    for await (const part of await chat.completions.create({ model, messages, stream: true }))
      print(part.choices[0]?.delta.content ?? '');
  },
  'function-call-diy': async (newClient, print) => {
    const { chat } = newClient();
    const said: ChatCompletionMessageParam[] = [...messages];
    for (let turn = 0; turn < 3; turn++) {
      const { message } = (await chat.completions.create({ model, messages: said, tools })).choices[0]!;
      print(message);
      said.push(message);
      if (message.tool_calls === undefined) return;
      for (const call of message.tool_calls) {
        if (call.type !== 'function') continue;
        const content = weather(JSON.parse(call.function.arguments) as { city: string });
        said.push({ role: 'tool', tool_call_id: call.id, content });
      }
    }
  },
  'tool-calls-stream': async (newClient, print) => {
    const stream = await newClient().chat.completions.create({ model, messages, tools, stream: true });
    let [name, args] = ['', ''];
    for await (const chunk of stream)
      for (const call of chunk.choices[0]?.delta.tool_calls ?? []) {
        name += call.function?.name ?? '';
        args += call.function?.arguments ?? '';
        print(name, args);
      }
  },
  'tool-call-helpers, streamed': async (newClient, print) => {
    const runner = newClient()
      .chat.completions.runTools({
        model,
        messages,
        stream: true,
        tools: [
          {
            type: 'function',
            function: {
              name: 'weather',
              description: 'The weather.',
              parameters: CITY,
              parse: JSON.parse as (text: string) => { city: string },
              function: weather,
            },
          },
        ],
      })
      .on('message', (message) => {
        print('message', message);
      })
      .on('functionToolCall', (call) => {
        print('call', call);
      })
      .on('functionToolCallResult', (result) => {
        print('result', result);
      })
      .on('content', (diff) => {
        print(diff);
      });
    print(await runner.finalChatCompletion(), runner.messages);
  },
  'parsing-run-tools': async (newClient, print) => {
    const tool = zodFunction({ name: 'weather', parameters: City, function: weather });
    const runner = newClient().chat.completions.runTools({ model, messages, tools: [tool] });
    runner.on('message', (message) => {
      print(message);
    });
    print(await runner.finalContent());
  },
  parsing: async (newClient, print) => {
    const response_format = zodResponseFormat(Report, 'report');
    const completion = await newClient().chat.completions.parse({ model, messages, response_format });
    print(completion, completion.choices[0]?.message.parsed?.mild);
  },
  'parsing-stream': async (newClient, print) => {
    const response_format = zodResponseFormat(Report, 'report');
    const stream = newClient()
      .chat.completions.stream({ model, messages, response_format })
      .on('content.delta', ({ snapshot, parsed }) => {
        print(snapshot, parsed);
      })
      .on('content.done', ({ parsed }) => {
        print('done', parsed);
      });
    await stream.done();
    print(await stream.finalChatCompletion());
  },
  'parsing-tools': async (newClient, print) => {
    const tool = zodFunction({ name: 'weather', parameters: City });
    const completion = await newClient().chat.completions.parse({ model, messages, tools: [tool] });
    const [call] = completion.choices[0]?.message.tool_calls ?? [];
    print(completion, call?.type === 'function' && call.function.parsed_arguments);
  },
  'parsing-tools-stream': async (newClient, print) => {
    const stream = newClient()
      .chat.completions.stream({
        model,
        messages,
        tools: [zodFunction({ name: 'weather', parameters: City })],
      })
      .on('tool_calls.function.arguments.delta', (props) => {
        print('delta', props);
      })
      .on('tool_calls.function.arguments.done', (props) => {
        print('done', props);
      });
    print(await stream.finalChatCompletion());
  },
  'stream, and logprobs': async (newClient, print) => {
    const runner = newClient()
      .chat.completions.stream({ model, messages, logprobs: true })
      .on('message', (message) => {
        print(message);
      })
      .on('content', (diff) => {
        print(diff);
      })
      .on('logprobs.content.delta', (logprob) => {
        print(logprob);
      });
    for await (const chunk of runner) print('chunk', chunk);
    print(await runner.finalChatCompletion());
  },
  'stream-to-client': async (newClient, print) => {
    const { chat } = newClient();
    const raw = await chat.completions.create({ model, messages, stream: true });
    print(await new Response(raw.toReadableStream()).text());
    const body = chat.completions.stream({ model, messages }).toReadableStream();
    const runner = ChatCompletionStream.fromReadableStream(body);
    runner.on('content', (delta) => {
      print(delta);
    });
    print(await runner.finalChatCompletion());
  },
  'client/errors': async (newClient, print) => {
    const client = newClient();
    try {
      await client.completions.create({ model: 'no-such-model', prompt: 'Say this is a test' });
    } catch (error) {
      const { constructor, message, status, code, type, param } = error as InstanceType<
        typeof OpenAI.APIError
      >;
      print(constructor.name, message, status, code, type, param);
    }
  },
  'client/raw-response': async (newClient, print) => {
    const { completions } = newClient();
    const request = { model, prompt: 'Say this is a test' };
    const response = await completions.create(request).asResponse();
    print(response.headers.get('x-request-id'), await response.json());
    const { data, response: again } = await completions.create(request).withResponse();
    print(again.status, data);
  },
  'azure/chat': async (newClient, print) => {
    const { chat } = newClient({ apiKey: () => Promise.resolve('a token') });
    print((await chat.completions.create({ model, messages })).choices[0]?.message.content);
  },
};
