import { expandChunks } from '../../../src/recording/result/expand-chunks.js';
import { readAll } from '../replayed-agent.js';
import { BODY, openAiScene, type OpenAiUnderTest } from './openai-under-test.js';

export function describeStreams(under: OpenAiUnderTest): void {
  describe(`a streamed chat of a wrapped client of openai ${under.version}`, () => {
    const scene = openAiScene(under);

    it('records a stream while it is read: the same chunks, and the merged message', async () => {
      const [here, there] = [
        await readAll(await scene.client.chat.completions.create({ ...BODY, stream: true })),
        await readAll(await scene.bare.chat.completions.create({ ...BODY, stream: true })),
      ];
      expect(here).toEqual(there);
      expect(scene.test.spans).toMatchObject([
        {
          status: 'ok',
          span_data: {
            output: {
              object: 'chat.completion',
              choices: [
                { message: { role: 'assistant', content: 'A mild day in Oslo.' }, finish_reason: 'stop' },
              ],
            },
            usage: { input_tokens: 12, output_tokens: 9, time_to_first_token_ms: expect.any(Number) },
            contexts: [{ finishReason: 'stop', requestId: 'req_1' }],
            meta: { stream: { items: here.length } },
          },
        },
      ]);
      expect(expandChunks(scene.test.spans[0]!.span_data.meta?.stream?.chunks)).toEqual(here);
    });

    it('leaves a stream its own members', async () => {
      const stream = await scene.client.chat.completions.create({ ...BODY, stream: true });
      const [left, right] = stream.tee();
      expect(await readAll(left)).toEqual(await readAll(right));
      expect(scene.test.spans).toMatchObject([{ status: 'ok' }]);
      const lines = (
        await scene.client.chat.completions.create({ ...BODY, stream: true })
      ).toReadableStream();
      expect(await new Response(lines).text()).toContain('A mild d');
      expect(scene.test.spans).toHaveLength(2);
    });

    it('is cancelled when its reader stops', async () => {
      for await (const chunk of await scene.client.chat.completions.create({ ...BODY, stream: true })) {
        expect(chunk.id).toBe('chatcmpl-1');
        break;
      }
      expect(scene.test.spans).toMatchObject([
        { status: 'cancelled', span_data: { meta: { stream: { items: 1 } } } },
      ]);
    });

    it('is cancelled when it is aborted: before the response, while it is read, and between', async () => {
      scene.server.reply = () => ({ hang: true });
      const controller = new AbortController();
      const pending = scene.client.chat.completions.create(BODY, { signal: controller.signal });
      controller.abort();
      await expect(pending).rejects.toThrow('aborted');
      scene.server.reply = () => ({ hangAfter: 2 });
      const stream = await scene.client.chat.completions.create({ ...BODY, stream: true });
      let read = 0;
      for await (const chunk of stream) {
        expect(chunk.id).toBe('chatcmpl-1');
        if (++read === 2)
          setImmediate(() => {
            stream.controller.abort();
          });
      }
      const unread = await scene.client.chat.completions.create({ ...BODY, stream: true });
      unread.controller.abort();
      expect(scene.test.spans.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
      expect(scene.test.spans[1]!.span_data.meta).toMatchObject({ stream: { items: 2 } });
    });

    it('is an error when the response is not JSON, whole or in a stream, and when a stream breaks', async () => {
      scene.server.reply = () => ({ malformed: true });
      await expect(scene.client.chat.completions.create(BODY)).rejects.toThrow();
      scene.server.reply = () => ({ malformedAt: 2 });
      await expect(
        scene.client.chat.completions.create({ ...BODY, stream: true }).then(readAll),
      ).rejects.toThrow();
      scene.server.reply = () => ({ breakAfter: 3 });
      await expect(
        scene.client.chat.completions.create({ ...BODY, stream: true }).then(readAll),
      ).rejects.toThrow();
      expect(scene.test.spans.map(({ status }) => status)).toEqual(['error', 'error', 'error']);
      expect(scene.test.spans.slice(1).map(({ span_data }) => span_data.meta)).toMatchObject([
        { stream: { items: 2 } },
        { stream: { items: 3 } },
      ]);
    });
  });
}
