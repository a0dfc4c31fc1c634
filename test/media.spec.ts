import { startCollector } from '@dacapo/collector';
import type { SpanDetail, TraceDetail, TracePage } from '@dacapo/protocol';
import { type ReplayItem, Tracer } from '@dacapo/tracer';
import Database from 'libsql';
import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from './support/remove-folder.js';

const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(300_000)]);

describe('images, from the tracer through a real collector and back', () => {
  let folder: string;
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let tracer: Tracer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dacapo-media-'));
    collector = await startCollector({ port: 0, dataDir: join(folder, 'data') });
    tracer = new Tracer({ apiKey: collector.apiKey!, serviceUrl: collector.url });
  });

  afterAll(async () => {
    await tracer.shutdown();
    await collector.close();
    await removeFolder(folder);
  });

  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${collector.url}/api/v1${path}`, {
      ...init,
      headers: { 'api-key': collector.apiKey!, 'content-type': 'application/json' },
    });
  const get = async <T>(path: string): Promise<T> => (await (await ask(path)).json()) as T;

  /** Records one call whose inner call returns an image, and replays it with the inner call mocked. */
  async function replay(
    key: string,
    { between = () => Promise.resolve(), changes = false } = {},
  ): Promise<{ item: ReplayItem; seen: unknown[]; painted: number }> {
    let painted = 0;
    const seen: unknown[] = [];
    const paint = tracer.withSpan(`${key}.paint`, async (from: string) => {
      painted++;
      return Promise.resolve({ from, image: new Uint8Array(PNG), preview: `data:image/png;base64,${from}` });
    });
    const frame = async (url: string, sound: Buffer): Promise<unknown> => {
      const { image, preview } = await paint(url.slice(url.indexOf(',') + 1));
      seen.push([url, sound, image, preview]);
      return changes && seen.length > 1 ? image.slice(1) : image;
    };
    await tracer.withSpan(key, frame)(`data:image/png;base64,${PNG.toString('base64')}`, PNG);
    await tracer.flush();
    await between();
    painted = 0;
    const { items } = await tracer.replay(key, tracer.withSpan(key, frame), { mock: 'all' });
    return { item: items[0]!, seen, painted };
  }

  it('are restored unchanged in a replay, from one stored copy', async () => {
    const { item, seen, painted } = await replay('frame');
    expect(item).toMatchObject({ verdict: 'same', divergences: [] });
    expect(painted).toBe(0);
    expect(seen).toHaveLength(2);
    expect(Buffer.from((seen[1] as [string, Buffer])[1]).equals(PNG)).toBe(true);
    expect(seen[1]).toEqual(seen[0]);
  });

  it('change a verdict when one byte differs', async () => {
    expect((await replay('frame.changed', { changes: true })).item.verdict).toBe('changed');
  });

  it('are read by hash, and run no script in a browser', async () => {
    await replay('frame.read');
    const { items } = await get<TracePage>('/traces?trace_function_key=frame.read');
    const { id, spans } = await get<TraceDetail>(`/traces/${items[0]!.id}`);
    const span = await get<SpanDetail>(`/traces/${id}/spans/${spans[0]!.id}`);
    const notes = Object.values(span.span_data.meta?.input?.truncated ?? {});
    const ids = new Set(notes.map(({ media }) => (media as { id: string }).id));
    expect(JSON.stringify(span).length).toBeLessThan(4000);
    expect(ids.size).toBe(1);
    const answer = await ask(`/media/${[...ids][0]!}`);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    });
    expect(Buffer.from(await answer.arrayBuffer()).equals(PNG)).toBe(true);
    expect((await fetch(answer.url)).status).toBe(401);
  });

  it('that are no longer stored make a call not replayable, with the reason in its item', async () => {
    const { item, painted } = await replay('frame.lost', {
      between: () => {
        const database = new Database(join(folder, 'data/dacapo.db'));
        database.exec('DELETE FROM media');
        database.close();
        return Promise.resolve();
      },
    });
    expect(item).toMatchObject({ verdict: 'error', error: { code: 'TRACER_CALL_NOT_REPLAYABLE' } });
    expect(String(item.error)).toMatch(/image\/png, 300008 bytes/);
    expect(painted).toBe(0);
  });

  it('for which the account has no room make a call not replayable, and are reported', async () => {
    const small = await startCollector({ port: 0, dataDir: join(folder, 'small'), mediaBytes: 1000 });
    const errors: Error[] = [];
    const other = new Tracer({
      apiKey: small.apiKey!,
      serviceUrl: small.url,
      onError: (error) => errors.push(error),
    });
    let looked = 0;
    const look = other.withSpan('look', (image: Buffer) => ++looked + image.length);
    look(PNG);
    await other.flush();
    const { items } = await other.replay('look', look);
    await other.shutdown();
    await small.close();
    expect(items).toMatchObject([{ verdict: 'error', error: { code: 'TRACER_CALL_NOT_REPLAYABLE' } }]);
    expect(String(items[0]!.error)).toMatch(/image\/png, 300008 bytes/);
    expect(looked).toBe(1);
    expect(errors.map(String).join()).toMatch(/has reached its limit of 1000 bytes for media/);
  });

  it('leave nothing waiting, and drop nothing', () => {
    const { recorded, delivered, waiting } = tracer.stats();
    expect([delivered, waiting]).toEqual([recorded, 0]);
  });
});
