import { startCollector } from '@dacapo/collector';
import { toText } from '@dacapo/evaluation';
import type { Page, SpanRecord, TestRunItemRecord, TraceDetail } from '@dacapo/protocol';
import { type ReplayOptions, type ReplayResult, Tracer } from '@dacapo/tracer';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from './support/remove-folder.js';

const DAY_MS = 86_400_000;
const formatDay = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

/** A desk whose prompts contain the day and the id of the request. */
function createDesk(tracer: Tracer, requestId: () => string): (question: string) => Promise<string> {
  const model = tracer.withSpan('model', { type: 'llm' }, async (request: { id: string; prompt: string }) =>
    Promise.resolve(`answer to ${request.prompt}`),
  );
  return tracer.withSpan('desk', async (question: string) =>
    model({ id: requestId(), prompt: `Today is ${formatDay(Date.now())}. ${question}` }),
  );
}

describe('a replay two days later, from the tracer through a real collector and back', () => {
  const RECORDED_MS = Date.now() - 2 * DAY_MS;
  let folder: string;
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let tracer: Tracer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dacapo-clock-'));
    collector = await startCollector({ port: 0, dataDir: join(folder, 'data') });
    tracer = new Tracer({ apiKey: collector.apiKey!, serviceUrl: collector.url });
    const desk = createDesk(tracer, () => 'recorded');
    const realDate = globalThis.Date;
    // Two days ago: spans and prompts read the same clock.
    globalThis.Date = new Proxy(realDate, {
      construct: (target, value) =>
        Reflect.construct(target, value.length === 0 ? [RECORDED_MS] : value) as Date,
      get: (target, name) => (name === 'now' ? () => RECORDED_MS : (Reflect.get(target, name) as unknown)),
    });
    try {
      for (const question of ['late?', 'lost?', 'twice?']) await desk(question);
    } finally {
      globalThis.Date = realDate;
    }
    await tracer.flush();
  });

  afterAll(async () => {
    await tracer.shutdown();
    await collector.close();
    await removeFolder(folder);
  });

  const get = async <T>(path: string): Promise<T> => {
    const headers = { 'api-key': collector.apiKey! };
    return (await (await fetch(`${collector.url}/api/v1${path}`, { headers })).json()) as T;
  };
  const replay = (options: ReplayOptions, id = 'recorded'): Promise<ReplayResult> =>
    tracer.replay('desk', createDesk(tracer, () => id) as never, { mock: 'all', ...options });

  it("misses no model call with clock: 'recorded', and all of them with the real clock", async () => {
    const [then, real] = [await replay({ clock: 'recorded' }), await replay({})];
    expect(then).toMatchObject({ totals: { items: 3, same: 3, diverged: 0 }, ranLive: {}, normalized: [] });
    expect(then.items[0]!.result).toContain(`Today is ${formatDay(RECORDED_MS)}.`);
    expect(real).toMatchObject({ totals: { items: 3, same: 0, error: 3 } });
    expect(real.items[0]!.error).toMatchObject({ code: 'TRACER_REPLAY_MOCK_MISS' });
  });

  it('stores spans of the replay with real times', async () => {
    const { items } = await replay({ clock: 'recorded', limit: 1 });
    await tracer.flush();
    const { spans } = await get<TraceDetail>(`/traces/${items[0]!.traceId!}`);
    expect(spans).toHaveLength(2);
    for (const { id } of spans) {
      const { started_at } = await get<SpanRecord>(`/traces/${items[0]!.traceId!}/spans/${id}`);
      expect(Date.now() - Date.parse(started_at)).toBeLessThan(DAY_MS);
    }
  });

  it('misses no model call with normalize, which the report and each stored item count', async () => {
    const normalize = { model: ['$[0].id', '$[0].prompt'], modle: ['$..id'] };
    const run = await replay({ normalize }, 'another');
    expect(run).toMatchObject({
      totals: { same: 3, diverged: 0 },
      normalized: [{ key: 'model', calls: 3, ambiguous: 0 }],
      warnings: [expect.stringContaining('Did you mean "model"?')],
    });
    expect(toText(run)).toContain('Matched the recording after normalizing: model 3.\n');
    const { items } = await get<Page<TestRunItemRecord>>(`/test-runs/${run.testRunId}/items?payloads=true`);
    expect(items.map(({ normalized }) => normalized)).toEqual(
      Array.from({ length: 3 }, () => [{ key: 'model', calls: 1, ambiguous: 0 }]),
    );
  });

  it('combines both: the clock shows the day, and normalize lets the id differ', async () => {
    const run = await replay({ clock: 'recorded', normalize: { model: ['$[0].id'] } }, 'another');
    expect(run).toMatchObject({ totals: { same: 3, diverged: 0 }, normalized: [{ key: 'model', calls: 3 }] });
  });

  it('uses real time for a dataset item without a recorded call, and notes it', async () => {
    await tracer.datasets.create('tickets');
    await tracer.datasets.add('tickets', [{ input: ['by hand'] }] as never);
    const run = await tracer.evaluate(() => Date.now(), {
      key: 'desk',
      data: { dataset: 'tickets' },
      clock: 'recorded',
    });
    expect(run.items).toMatchObject([
      { notes: ['it uses the real clock, because its start time is not recorded'] },
    ]);
    expect(Date.now() - (run.items[0]!.result as number)).toBeLessThan(DAY_MS);
  });

  it('refuses an invalid path before the run begins', async () => {
    await expect(replay({ normalize: { model: ['id'] } })).rejects.toThrow(
      'replay.normalize["model"] has the invalid path "id". Write $[0] for the first argument',
    );
    await expect(replay({ normalize: { model: '$[0]' } as never })).rejects.toThrow(
      'Option replay.normalize must have a list of paths for each key, and "model" has none. Write it like',
    );
  });
});
