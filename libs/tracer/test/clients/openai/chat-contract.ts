import { randomBytes } from 'node:crypto';
import type OpenAI from 'openai';
import { BODY, KEY, openAiScene, type OpenAiUnderTest } from './openai-under-test.js';

const PNG = `data:image/png;base64,${randomBytes(6000).toString('base64')}`;

export function describeChat(under: OpenAiUnderTest): void {
  describe(`a chat of a wrapped client of openai ${under.version}`, () => {
    const scene = openAiScene(under);

    it('is the same object, and returns what the bare one returns', async () => {
      const own = scene.newClient();
      expect(scene.test.tracer.wrapClient(own)).toBe(own);
      expect(own).toBeInstanceOf(under.OpenAI);
      const [here, there] = [
        await scene.client.chat.completions.create(BODY),
        await scene.bare.chat.completions.create(BODY),
      ];
      expect(here).toEqual(there);
      expect(here._request_id).toBe('req_1');
    });

    it('records messages, parameters, response, usage and model', async () => {
      const answer = await scene.client.chat.completions.create(BODY);
      expect(scene.test.spans).toMatchObject([
        {
          trace_function_key: KEY,
          type: 'llm',
          status: 'ok',
          span_data: {
            input: [BODY],
            output: JSON.parse(JSON.stringify(answer)),
            prompt: 'system:\nBe brief.\n\nuser:\nWeather?',
            usage: {
              model: 'gpt-5-mini',
              response_model: 'gpt-5-mini-2025',
              input_tokens: 12,
              output_tokens: 9,
              cached_input_tokens: 4,
              attempts: 1,
            },
            contexts: [{ finishReason: 'stop', responseModel: 'gpt-5-mini-2025', requestId: 'req_1' }],
          },
        },
      ]);
      expect(scene.test.spans).toHaveLength(1);
    });

    it('records images as media, and sends them as they are', async () => {
      const picture = { type: 'image_url' as const, image_url: { url: PNG } };
      const content = [{ type: 'text' as const, text: 'What is it?' }, picture];
      await scene.client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content }] });
      const recorded = JSON.stringify(scene.test.spans[0]!.span_data);
      expect(recorded).not.toContain(PNG.slice(100, 200));
      expect(scene.test.media).toMatchObject([{ type: 'image/png', data: PNG.slice(PNG.indexOf(',') + 1) }]);
      expect(scene.test.spans[0]!.span_data.prompt).toBe('user:\nWhat is it?[image]');
      expect(scene.server.requests[0]!.body.messages[0].content[1]).toEqual(picture);
    });

    it('is part of the span that it is called in', async () => {
      await scene.test.tracer.withSpan('ask', { type: 'llm' }, () =>
        scene.client.chat.completions.create(BODY),
      )();
      const [call, ask] = scene.test.spans;
      expect(call).toMatchObject({ parent_id: ask!.id, span_data: { usage: { input_tokens: 12 } } });
      expect(ask!.span_data).not.toHaveProperty('usage');
    });

    it('is recorded once, however often it is wrapped, and so is a client derived from it', async () => {
      scene.test.tracer.wrapClient(scene.client);
      await scene.client.chat.completions.create(BODY);
      const other = (scene.client as { withOptions?: (options: object) => OpenAI }).withOptions?.({
        apiKey: 'other',
      });
      await other?.chat.completions.create(BODY);
      expect(scene.test.spans).toHaveLength(other === undefined ? 1 : 2);
      if (other !== undefined) expect(scene.test.spans[1]!.span_data.usage).toMatchObject({ attempts: 1 });
    });

    it('keeps a subclass and its private fields', async () => {
      class Desk extends under.OpenAI {
        readonly #tone = 'Be kind.';
        ask(content: string) {
          const messages = [
            { role: 'system' as const, content: this.#tone },
            { role: 'user' as const, content },
          ];
          return this.chat.completions.create({ model: 'm', messages });
        }
      }
      const desk = scene.test.tracer.wrapClient(new Desk({ apiKey: 'k', baseURL: `${scene.server.url}/v1` }));
      expect((await desk.ask('Hm?')).choices[0]!.message.content).toBe('A mild day in Oslo.');
      expect(scene.test.spans).toMatchObject([{ span_data: { prompt: 'system:\nBe kind.\n\nuser:\nHm?' } }]);
    });
  });
}
