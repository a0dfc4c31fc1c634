import OpenAI from 'openai';
import * as ai from 'ai-v6';
import { type ModelServer, startModelServer } from '../model-server/model-server.js';
import { ServedLanguageModel } from '../models/served-models.js';
import { type MakeAgent, recordAndReplay } from './replayed-agent.js';

type Ask = (content: string, signal?: AbortSignal, stream?: boolean) => Promise<unknown>;

describe('a request that the application cancels, in a replay with mock all', () => {
  let server: ModelServer;

  beforeAll(async () => {
    server = await startModelServer();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    server.reply = ({ body }) => {
      const bodyText = JSON.stringify(body);
      return bodyText.includes('slow')
        ? { hang: true }
        : bodyText.includes('stalls')
          ? { hangAfter: 2 }
          : { text: 'Mild.' };
    };
  });

  const createAgent =
    (work: (ask: Ask, client: OpenAI) => Promise<unknown>): MakeAgent =>
    (tracer, url) => {
      const client = tracer.wrapClient(new OpenAI({ apiKey: 'k', baseURL: `${url}/v1`, maxRetries: 0 }));
      const ask: Ask = (content, signal, stream) =>
        client.chat.completions.create(
          { model: 'm', messages: [{ role: 'user', content }], stream: stream ?? null },
          { signal },
        );
      return () => work(ask, client);
    };

  const timedOut = async (work: Promise<unknown>): Promise<unknown> =>
    work.catch((error: unknown) => [error instanceof OpenAI.APIUserAbortError, (error as Error).message]);

  const HEDGED = createAgent(async (ask) => {
    const loser = new AbortController();
    const answers = [timedOut(ask('slow', loser.signal)), ask('fast')];
    const first = (await Promise.race(answers)) as OpenAI.ChatCompletion;
    loser.abort();
    return [first.choices[0]!.message.content, await answers[0]];
  });
  const TIMEOUT = createAgent((ask) => timedOut(ask('slow', AbortSignal.timeout(60))));
  const STALLED = createAgent(async (ask) => {
    const texts: unknown[] = [];
    // Long enough for both pieces to arrive on a busy machine.
    const stream = (await ask(
      'stalls',
      AbortSignal.timeout(2000),
      true,
    )) as AsyncIterable<OpenAI.ChatCompletionChunk>;
    for await (const { choices } of stream) texts.push(choices[0]?.delta.content);
    return texts;
  });
  const AI_SDK: MakeAgent = (tracer, url) => async () => {
    const model = tracer.wrapModel(new ServedLanguageModel(url, 'v3')) as never;
    try {
      return await ai.generateText({
        model,
        prompt: 'slow',
        maxRetries: 0,
        abortSignal: AbortSignal.timeout(60),
      });
    } catch (error) {
      return (error as Error).name;
    }
  };

  it.each([
    ['a hedged request whose loser is aborted', HEDGED],
    ['a request with a timeout', TIMEOUT],
    ['a stream that stalls until a timeout', STALLED],
    ['a model of the AI SDK with a timeout', AI_SDK],
  ])('is given up again: %s', async (_, agent) => {
    const { item, spans, recorded, connections } = await recordAndReplay(server.url, agent);
    expect(item).toMatchObject({ verdict: 'same', divergences: [] });
    expect(item).not.toHaveProperty('error');
    expect(connections).toBe(0);
    const statuses = (of: typeof spans): unknown[] =>
      of.map(({ trace_function_key: key, status }) => `${key} ${status}`).sort();
    expect(statuses(spans)).toEqual(statuses(recorded));
    expect(statuses(spans).join()).toContain('cancelled');
  });

  it('is a divergence when the application neither waits for it nor cancels it any more', async () => {
    const changed = createAgent(async (ask) => {
      void ask('slow', new AbortController().signal).catch(() => undefined);
      return ((await ask('fast')) as OpenAI.ChatCompletion).choices[0]!.message.content;
    });
    const { item, connections } = await recordAndReplay(server.url, HEDGED, { changed });
    expect(item).toMatchObject({ verdict: 'changed', divergences: [{ kind: 'unanswerable' }] });
    expect(connections).toBe(0);
  });

  it('hangs no longer than the timeout of the replay when nobody cancels it', async () => {
    const changed = createAgent((ask) => ask('slow', new AbortController().signal));
    const { item } = await recordAndReplay(server.url, TIMEOUT, { changed, timeoutMs: 200 });
    expect(item).toMatchObject({ verdict: 'error', error: { code: 'TRACER_REPLAY_TIMEOUT' } });
    expect(item.divergences).toMatchObject([{ kind: 'unanswerable' }]);
  });
});
