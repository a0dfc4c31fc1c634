import OpenAI from 'openai';
import { type ModelServer, startModelServer } from '../../test/model-server/model-server.js';
import { startStoredSpansService } from '../../test/service/stored-spans-service.js';
import type { ReplayOptions } from '../options/replay-options.js';
import { createTestTracer } from '../testing.js';
import type { Tracer } from '../tracer.js';
import type { ReplayResult } from '../replay-types.js';

type Build = (tracer: Tracer, id: string) => () => unknown;

/** Records one call with the id 1, and replays it with the id 2. */
async function replay(build: Build, options: ReplayOptions): Promise<ReplayResult> {
  const recorded = createTestTracer();
  await recorded.tracer.withSpan('desk', build(recorded.tracer, '1'))();
  const service = await startStoredSpansService(recorded.spans);
  const { tracer } = createTestTracer({ serviceUrl: service.url });
  try {
    const run = await tracer.replay('desk', tracer.withSpan('desk', build(tracer, '2')), {
      mock: 'all',
      ...options,
    });
    expect(service.reports).toMatchObject(
      run.items.map(({ normalized }) => (normalized ? { normalized } : {})),
    );
    return run;
  } finally {
    await service.close();
  }
}

describe('normalize of a replay', () => {
  let server: ModelServer;

  beforeAll(async () => {
    server = await startModelServer();
  });
  afterAll(() => server.close());

  const ask = (
    tracer: Tracer,
    id: string,
  ): OpenAI.Chat.ChatCompletionCreateParamsNonStreaming & { client: OpenAI } => ({
    client: tracer.wrapClient(new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1`, maxRetries: 0 })),
    model: 'm',
    messages: [
      { role: 'system', content: `Request ${id}` },
      { role: 'user', content: 'Weather?' },
    ],
  });

  const WAYS: Record<string, [key: string, path: string, build: Build]> = {
    'a generator': [
      'search',
      '$[0].id',
      (tracer, id) => {
        const search = tracer.withSpan('search', function* (request: { id: string }) {
          yield* ['hit of', request.id];
        });
        return () => [...search({ id })];
      },
    ],
    'an asynchronous generator': [
      'search',
      '$..id',
      (tracer, id) => {
        const search = tracer.withSpan('search', async function* (request: { id: string }) {
          yield await Promise.resolve(request.id);
        });
        return async () => {
          const hits: string[] = [];
          for await (const hit of search({ id })) hits.push(hit);
          return hits;
        };
      },
    ],
    'a wrapped client': [
      'openai.chat.completions.create',
      '$[0].messages[0]',
      (tracer, id) => async () => {
        const { client, ...request } = ask(tracer, id);
        return (await client.chat.completions.create(request)).choices[0]?.message.content;
      },
    ],
    'a stream of a wrapped client': [
      'openai.chat.completions.create',
      '$[0].messages[*].content',
      (tracer, id) => async () => {
        const { client, ...request } = ask(tracer, id);
        const texts: unknown[] = [];
        for await (const chunk of await client.chat.completions.create({ ...request, stream: true }))
          texts.push(chunk);
        return texts;
      },
    ],
  };

  it.each(Object.entries(WAYS))(
    'answers %s whose argument differs in the named part, and fails otherwise',
    async (_, way) => {
      const [key, path, build] = way;
      const { items, normalized, totals } = await replay(build, { normalize: { [key]: [path] } });
      expect(items).toMatchObject([
        { verdict: 'same', divergences: [], normalized: [{ key, calls: 1, ambiguous: 0 }] },
      ]);
      expect({ normalized, diverged: totals.diverged }).toEqual({
        normalized: [{ key, calls: 1, ambiguous: 0 }],
        diverged: 0,
      });
      const elsewhere = await replay(build, { normalize: { [key]: ['$[0].other'] } });
      expect(elsewhere).toMatchObject({ items: [{ verdict: 'error' }], normalized: [] });
    },
  );

  it('reports which answers may be those of other calls', async () => {
    const build: Build = (tracer, id) => {
      const search = tracer.withSpan('search', async (request: string) =>
        Promise.resolve(`hit of ${request}`),
      );
      return async () => [await search(`${id}a`), await search(`${id}b`)];
    };
    const run = await replay(build, { normalize: { search: ['$[0]'] } });
    expect(run.items).toMatchObject([{ verdict: 'same', result: ['hit of 1a', 'hit of 1b'] }]);
    expect(run.toMarkdown()).toContain(
      'Matched the recording after normalizing: search 2 \\(2 with several recorded calls that match\\).',
    );
    expect(run.toJUnit()).toContain('Matched the recording after normalizing: search 2');
  });

  it('warns of a key that no recorded call inside has', async () => {
    const [, path, build] = WAYS['a generator']!;
    const { warnings } = await replay(build, { normalize: { search: [path], serach: [path] } });
    expect(warnings).toEqual([expect.stringContaining('normalize names the key "serach"')]);
  });
});
