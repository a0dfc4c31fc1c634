import { createHash, randomBytes } from 'node:crypto';
import { createTestTracer } from '../src/testing.js';
import type { Tracer } from '../src/tracer.js';
import { startStoredSpansService } from './service/stored-spans-service.js';

const newFile = (bytes: Buffer): File =>
  new File([new Uint8Array(bytes)], 'a.png', { type: 'image/png', lastModified: 7 });
const newBlob = (bytes: Buffer): Blob => new Blob([new Uint8Array(bytes)], { type: 'image/png' });
const hashBytes = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const summarize = async (file: Blob): Promise<string> => {
  const name = file instanceof File ? `${file.name} ${file.lastModified} ` : '';
  return `${name}${file.type} ${hashBytes(Buffer.from(await file.arrayBuffer()))}`;
};

describe('a file among the arguments of a traced function', () => {
  it('is recorded by its name, type and hash, and its bytes are stored', async () => {
    const bytes = randomBytes(20_000);
    const { tracer, spans, media } = createTestTracer();
    const read = tracer.withSpan('read', async ({ file }: { file: File }) => file.size);
    expect(await read({ file: newFile(bytes) })).toBe(20_000);
    const id = hashBytes(bytes);
    const { input, meta } = spans[0]!.span_data;
    expect(input).toMatchObject([
      { file: { name: 'a.png', type: 'image/png', size: 20_000, lastModified: 7, sha256: id } },
    ]);
    expect(meta).toMatchObject({
      input: {
        types: { '/0/file': { type: 'codec', name: 'File' } },
        truncated: { '/0/file/content': { media: { id, size: 20_000 } } },
      },
    });
    expect(meta).not.toHaveProperty('replayable');
    expect(media).toMatchObject([{ id, data: bytes.toString('base64') }]);
  });

  it('keeps the other arguments as they were when the function was called', async () => {
    const { tracer, spans } = createTestTracer();
    const order = { count: 1 };
    await tracer.withSpan('read', async (_: Blob, one: typeof order) => {
      one.count = 2;
    })(newBlob(randomBytes(10)), order);
    expect(spans[0]!.span_data.input).toMatchObject([{ size: 10 }, { count: 1 }]);
  });

  it('that is larger than what can be stored has its hash, type and size, and the call cannot be replayed', async () => {
    const bytes = randomBytes(6 * 1024 * 1024);
    const { tracer, spans, media } = createTestTracer();
    await tracer.withSpan('read', async (file: Blob) => file.size)(newBlob(bytes));
    const { input, meta } = spans[0]!.span_data;
    expect(input).toEqual([{ type: 'image/png', size: bytes.length, sha256: hashBytes(bytes) }]);
    expect(meta).toMatchObject({ replayable: false });
    expect(media).toEqual([]);
  });

  it('of a synchronous function has its type and size, and the call cannot be replayed', () => {
    const { tracer, spans } = createTestTracer();
    expect(tracer.withSpan('read', (file: Blob) => file.size)(newBlob(randomBytes(10)))).toBe(10);
    const { input, meta } = spans[0]!.span_data;
    expect(input).toEqual([{ type: 'image/png', size: 10 }]);
    expect(meta).toMatchObject({ replayable: false });
  });

  it('that is a text with a secret is masked', async () => {
    const { tracer, spans, media } = createTestTracer();
    const secret = `sk-proj-${'a1B2'.repeat(12)}`;
    await tracer.withSpan('read', async (file: Blob) => file.size)(new Blob([`key: ${secret}`]));
    const sent = JSON.stringify(spans);
    expect(sent).not.toContain(secret);
    expect(sent).not.toContain(Buffer.from(`key: ${secret}`).toString('base64'));
    expect(media).toEqual([]);
  });

  it('leaves no rejection unhandled when the function fails before the file is read', async () => {
    const { tracer, spans } = createTestTracer();
    const failing = tracer.withSpan('fail', async ({ size }: Blob) => {
      if (size > 0) throw new Error('No');
    });
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => {
      unhandled.push(error);
    };
    process.on('unhandledRejection', note);
    await expect(failing(newBlob(randomBytes(6 * 1024 * 1024)))).rejects.toThrow('No');
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
    expect(spans).toMatchObject([{ status: 'error' }]);
  });

  it('does not change what the function gets, returns and throws', async () => {
    const file = newFile(randomBytes(10));
    const { tracer, spans } = createTestTracer();
    expect(await tracer.withSpan('same', async (one: File) => one)(file)).toBe(file);
    const error = new Error('No');
    const failing = tracer.withSpan('fail', async ({ size }: File) => {
      if (size > 0) throw error;
    });
    await expect(failing(file)).rejects.toBe(error);
    expect(spans.map(({ status }) => status)).toEqual(['ok', 'error']);
  });
});

describe('a replay of a function with a file', () => {
  const replay = async (agent: (tracer: Tracer) => (file: Blob) => Promise<unknown>, file: Blob) => {
    const recorded = createTestTracer();
    await recorded.tracer.withSpan('desk', agent(recorded.tracer))(file);
    const service = await startStoredSpansService(recorded.spans, { media: recorded.media });
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const { items } = await tracer.replay('desk', tracer.withSpan('desk', agent(tracer)), {
      mock: 'all',
    });
    await service.close();
    return items[0]!;
  };

  it.each([
    ['File', newFile, 100],
    ['File', newFile, 20_000],
    ['Blob', newBlob, 20_000],
  ] as const)('gets a %s with the same name, type and bytes', async (_, create, size) => {
    const bytes = randomBytes(size);
    const item = await replay(() => summarize, create(bytes));
    expect(item).toMatchObject({ verdict: 'same', result: await summarize(create(bytes)) });
  });

  it('answers an inner call with the same bytes; it is not running', async () => {
    const bytes = randomBytes(20_000);
    let runs = 0;
    const item = await replay((tracer) => {
      const inner = tracer.withSpan('inner', async (file: Blob) => {
        runs++;
        return file.size;
      });
      return () => inner(newFile(bytes));
    }, newBlob(bytes));
    expect(item).toMatchObject({ verdict: 'same', result: 20_000, divergences: [] });
    expect(runs).toBe(1);
  });

  it('does not answer an inner call with other bytes of the same size', async () => {
    const item = await replay(
      (tracer) => {
        const inner = tracer.withSpan('inner', async (file: Blob) => file.size);
        return () => inner(newFile(randomBytes(20_000)));
      },
      newBlob(randomBytes(10)),
    );
    expect(item).toMatchObject({ verdict: 'error', error: { code: 'TRACER_REPLAY_MOCK_MISS' } });
  });
});
