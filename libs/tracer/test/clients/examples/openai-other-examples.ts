import type OpenAI from 'openai';
import { toFile } from 'openai';
import { zodResponsesFunction, zodTextFormat } from 'openai/helpers/zod';
import type { ResponseInput, ResponseInputItem } from 'openai/resources/responses/responses';
import { z } from 'zod';
import type { Example } from './example.js';

const model = 'm';
const input = 'What is the weather in Oslo?';
const Report = z.object({ mild: z.boolean() });
const tool = zodResponsesFunction({ name: 'weather', parameters: z.object({ city: z.string() }) });

/** What the examples of responses, pictures and sounds do. */
export const OPENAI_OTHER_EXAMPLES: Record<string, Example<OpenAI>> = {
  'responses/manual-conversation-state': async (newClient, print) => {
    const { responses } = newClient();
    const said: ResponseInput = [{ role: 'user', content: input }];
    const first = await responses.create({ model, input: said });
    print(first.output_text);
    said.push(...(first.output as ResponseInputItem[]), { role: 'user', content: 'And tomorrow?' });
    print((await responses.create({ model, input: said })).output_text);
  },
  'responses/stream': async (newClient, print) => {
    const runner = newClient()
      .responses.stream({ model, input })
      .on('event', (event) => {
        print(event);
      })
      .on('response.output_text.delta', ({ delta }) => {
        print(delta);
      });
    for await (const event of runner) print('event', event);
    print(await runner.finalResponse());
  },
  'responses/stream_background, left early': async (newClient, print) => {
    const stream = newClient().responses.stream({ model, input, background: true });
    for await (const event of stream) {
      print(event);
      if (event.type === 'response.output_text.delta') break;
    }
  },
  'responses/streaming-tools': async (newClient, print) => {
    for await (const event of newClient().responses.stream({ model, input, tools: [tool] })) print(event);
  },
  'responses/structured-outputs': async (newClient, print) => {
    const text = { format: zodTextFormat(Report, 'report') };
    print((await newClient().responses.parse({ model, input, text })).output_parsed);
  },
  'responses/structured-outputs-tools': async (newClient, print) => {
    const { output } = await newClient().responses.parse({ model, input, tools: [tool] });
    const [call] = output;
    print(call?.type === 'function_call' && call.parsed_arguments);
  },
  'images/picture': async (newClient, print) => {
    print(await newClient().images.generate({ model, prompt: 'a baby otter' }));
  },
  'images/image-stream': async (newClient, print) => {
    const stream = await newClient().images.generate({ model, prompt: 'a baby otter', stream: true });
    for await (const event of stream) print(event.type, Buffer.from(event.b64_json, 'base64').length);
  },
  audio: async (newClient, print) => {
    const { audio } = newClient();
    const request = { model, voice: 'alloy' as const, input: 'the quick brown fox' };
    const { body } = await audio.speech.create(request);
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) print(chunk.length);
    const buffer = Buffer.from(await (await audio.speech.create(request)).arrayBuffer());
    print((await audio.transcriptions.create({ model, file: await toFile(buffer, 'speech.mp3') })).text);
  },
};
