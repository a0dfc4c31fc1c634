import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { findHelpers } from '../cells/openai-apis.js';
import { readAll } from '../replayed-agent.js';
import { BODY, KEY, openAiScene, type OpenAiUnderTest } from './openai-under-test.js';

const WEATHER = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'The weather of a city.',
    parse: JSON.parse as (text: string) => { city: string },
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
    function: ({ city }: { city: string }) => `${city}: mild`,
  },
};

export function describeHelpers(under: OpenAiUnderTest): void {
  describe(`the helpers and promises of a wrapped client of openai ${under.version}`, () => {
    const scene = openAiScene(under);

    it('throws the error of the client, and records it', async () => {
      scene.server.reply = () => ({ status: 500 });
      const error = await scene.client.chat.completions
        .create(BODY)
        .then(undefined, (thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(under.OpenAI.InternalServerError);
      expect(error).toMatchObject({ status: 500 });
      expect(scene.test.spans).toMatchObject([
        { status: 'error', span_data: { error: { message: expect.stringContaining('500') } } },
      ]);
      expect(scene.test.spans[0]!.span_data.contexts).toMatchObject([{ requestId: 'req_1' }]);
    });

    it('stays a promise with ways to the response', async () => {
      const { data, response } = await scene.client.chat.completions.create(BODY).withResponse();
      expect(data.choices[0]!.message.content).toBe('A mild day in Oslo.');
      expect(response.headers.get('x-request-id')).toBe('req_1');
      const raw = await scene.client.chat.completions.create(BODY).asResponse();
      expect(JSON.parse(await raw.text())).toMatchObject({ id: 'chatcmpl-1' });
      const { data: stream } = await scene.client.chat.completions
        .create({ ...BODY, stream: true })
        .withResponse();
      await readAll(stream);
      expect(scene.test.spans).toMatchObject([
        { span_data: { usage: { input_tokens: 12 } } },
        {
          status: 'ok',
          span_data: { output: { response: { status: 200 } }, meta: { output: { replayable: false } } },
        },
        { span_data: { meta: { stream: { items: 6 } } } },
      ]);
    });

    it('records each request of the helper that runs tools, under the span around it', async () => {
      scene.server.reply = ({ toolResult }) =>
        toolResult === ''
          ? { toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }] }
          : { text: toolResult };
      const run = scene.test.tracer.withSpan('run', async () => {
        return findHelpers(scene.client)
          .runTools({ ...BODY, tools: [WEATHER] })
          .finalContent();
      });
      expect(await run()).toBe('Oslo: mild');
      const [first, second, root] = scene.test.spans;
      expect([first, second]).toMatchObject([{ parent_id: root!.id }, { parent_id: root!.id }]);
      expect(first!.span_data.contexts).toMatchObject([{ finishReason: 'tool_calls' }]);
      expect(JSON.stringify(first!.span_data.input)).toContain('The weather of a city.');
      expect(second!.span_data.prompt).toContain('[calls weather {"city":"Oslo"}]');
      expect(second!.span_data.prompt).toContain('tool:\n[result of call_0] Oslo: mild');
    });

    it('records the request of the helper that streams', async () => {
      const helper = findHelpers(scene.client).stream(BODY);
      expect(await helper.finalContent()).toBe('A mild day in Oslo.');
      expect(scene.test.spans).toMatchObject([{ trace_function_key: KEY, status: 'ok' }]);
    });

    it('records the request of the parsing helper, and the application gets the parsed value', async () => {
      scene.server.reply = () => ({ text: '{"mild":true}' });
      const response_format = zodResponseFormat(z.object({ mild: z.boolean() }), 'weather');
      const answer = await findHelpers(scene.client).parse({ ...BODY, response_format });
      expect(answer.choices[0]!.message.parsed).toEqual({ mild: true });
      expect(scene.test.spans).toMatchObject([{ status: 'ok', span_data: { usage: { output_tokens: 9 } } }]);
      expect(JSON.stringify(scene.test.spans[0]!.span_data.input)).toContain('json_schema');
    });
  });
}
