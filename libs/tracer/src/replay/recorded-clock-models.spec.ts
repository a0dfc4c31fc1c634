import { setTimeout as sleep } from 'node:timers/promises';
import Anthropic from '@anthropic-ai/sdk';
import { SimpleChatModel } from '@langchain/core/language_models/chat_models';
import OpenAI from 'openai';
import type { SpanRecord } from '@dacapo/protocol';
import { type ModelServer, startModelServer } from '../../test/model-server/model-server.js';
import { startStoredSpansService } from '../../test/service/stored-spans-service.js';
import type { ReplayOptions } from '../options/replay-options.js';
import { createTestTracer } from '../testing.js';
import type { Tracer } from '../tracer.js';

const RealDate = globalThis.Date;
const THEN_MS = RealDate.UTC(2020, 1, 29, 23, 59);
/** Within a minute: a replay lasts less. */
const isThen = (timeMs: number): boolean => Math.abs(timeMs - THEN_MS) < 60_000;
const isReal = (timeMs: number): boolean => Math.abs(timeMs - RealDate.now()) < 60_000;

type Build = (tracer: Tracer, times: number[]) => (question: string) => Promise<unknown>;

describe("live model calls under clock: 'recorded'", () => {
  let server: ModelServer;

  beforeAll(async () => {
    server = await startModelServer();
  });
  afterAll(() => server.close());

  /** Refuses the first two requests until the date that it names, then answers. */
  const refuseTwice = (): void => {
    let calls = 0;
    server.reply = () => {
      calls += 1;
      const headers = { 'retry-after': new RealDate(RealDate.now() + 1_000).toUTCString() };
      return calls > 2 ? { text: 'Mild.' } : { status: 429, headers };
    };
  };

  /** Records two calls as if they had been made in 2020, and replays them with models live. */
  async function replay(build: Build, beforeReplay = (): void => undefined) {
    server.reply = () => ({ text: 'Mild.' });
    const recorded = createTestTracer();
    const desk = recorded.tracer.withSpan('desk', build(recorded.tracer, []));
    for (const question of ['late?', 'lost?']) await desk(question);
    const agoMs = RealDate.now() - THEN_MS;
    const before = (time: string): string =>
      new RealDate(RealDate.parse(time) - agoMs).toISOString().replace('Z', '000Z');
    const spans = recorded.spans.map((span): SpanRecord => ({
      ...span,
      started_at: before(span.started_at),
      ...(span.ended_at !== undefined && { ended_at: before(span.ended_at) }),
    }));
    const service = await startStoredSpansService(spans);
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const times: number[] = [];
    beforeReplay();
    try {
      const replayed = tracer.withSpan('desk', build(tracer, times));
      const options: ReplayOptions = { clock: 'recorded', mock: 'all', live: ['llm'] };
      const run = await tracer.replay('desk', replayed, options);
      return { run, times };
    } finally {
      await service.close();
    }
  }

  /** Notes the clock at each request, as code that signs it does. The body comes later than its headers. */
  const noting =
    (times: number[]): typeof fetch =>
    async (...args) => {
      times.push(Date.now());
      const response = await fetch(...args);
      const { body } = response;
      if (body === null) return response;
      const late = async function* () {
        await sleep(50);
        for await (const chunk of body) yield chunk as Uint8Array;
      };
      return new Response(ReadableStream.from(late()) as never, response);
    };

  it.each<[string, Build]>([
    [
      'OpenAI',
      (tracer, times) => {
        const client = tracer.wrapClient(
          new OpenAI({
            // Asked before each attempt, as for tokens that expire.
            apiKey: () => {
              times.push(Date.now());
              return Promise.resolve('k');
            },
            baseURL: `${server.url}/v1`,
            maxRetries: 2,
            fetch: noting(times),
          }),
        );
        return async (content) => {
          const messages = [{ role: 'user' as const, content }];
          const { choices } = await client.chat.completions.create({ model: 'm', messages });
          return [choices[0]!.message.content, isThen(Date.now())];
        };
      },
    ],
    [
      'OpenAI, streamed',
      (tracer, times) => {
        const client = tracer.wrapClient(
          new OpenAI({
            apiKey: 'k',
            baseURL: `${server.url}/v1`,
            maxRetries: 2,
            fetch: noting(times),
          }),
        );
        return async (content) => {
          const messages = [{ role: 'user' as const, content }];
          let text = '';
          for await (const { choices } of await client.chat.completions.create({
            model: 'm',
            messages,
            stream: true,
          }))
            text += choices[0]?.delta.content ?? '';
          return [text, isThen(Date.now())];
        };
      },
    ],
    [
      'Anthropic',
      (tracer, times) => {
        const client = tracer.wrapClient(
          new Anthropic({ apiKey: 'k', baseURL: server.url, maxRetries: 2, fetch: noting(times) }),
        );
        return async (content) => {
          const message = await client.messages.create({
            model: 'm',
            max_tokens: 9,
            messages: [{ role: 'user', content }],
          });
          return [(message.content[0] as { text: string }).text, isThen(Date.now())];
        };
      },
    ],
  ])('have the real time in each attempt, and while the answer is read: %s', async (_, build) => {
    const { run, times } = await replay(build, refuseTwice);
    const texts = run.items.map(({ result }) => result);
    expect(texts).toEqual([0, 1].map(() => ['Mild.', true]));
    expect(times.length).toBeGreaterThanOrEqual(4);
    expect(times.map(isReal)).toEqual(times.map(() => true));
  });

  it('end by AbortSignal.timeout as without the option', async () => {
    const { run } = await replay(
      (tracer) => {
        const client = tracer.wrapClient(
          new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1`, maxRetries: 0 }),
        );
        return async (content) => {
          const messages = [{ role: 'user' as const, content }];
          const signal = AbortSignal.timeout(100);
          return client.chat.completions
            .create({ model: 'm', messages }, { signal })
            .catch((error: unknown) => [error instanceof OpenAI.APIUserAbortError, isThen(Date.now())]);
        };
      },
      () => {
        server.reply = () => ({ hang: true });
      },
    );
    expect(run.items.map(({ result }) => result)).toEqual([0, 1].map(() => [true, true]));
  });

  it('have the recorded time where only a callback handler reports them, and the real time behind wrapModel', async () => {
    const { run } = await replay((tracer) => {
      class ClockModel extends SimpleChatModel {
        _llmType(): string {
          return 'clock';
        }
        _call(): Promise<string> {
          return Promise.resolve(String(Date.now()));
        }
      }
      const [reported, wrapped] = [new ClockModel({}), tracer.wrapModel(new ClockModel({}))];
      return async (question) => {
        const callbacks = [tracer.getLangChainHandler() as never];
        const [first, second] = [
          await reported.invoke(question, { callbacks }),
          await wrapped.invoke(question),
        ];
        return [isThen(Number(first.content)), isReal(Number(second.content))];
      };
    });
    expect(run.items.map(({ result }) => result)).toEqual([0, 1].map(() => [true, true]));
  });
});
